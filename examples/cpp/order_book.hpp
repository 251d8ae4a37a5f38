// A book of offers to sell; buyers take the cheapest one.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>

class OrderBook {
public:
    // Puts pieces up for sale at a price.
    void offer(int price, int pieces);

    // Buys one piece at the lowest price, if any is for sale.
    std::optional<int> buy();

    // The lowest price, if any piece is for sale.
    std::optional<int> best() const;

private:
    mutable std::shared_mutex lock;
    std::map<int, int> offers;
};
