// The book without the bug: look-up and purchase are one critical section.
#include "order_book.hpp"

void OrderBook::offer(int price, int pieces)
{
    std::unique_lock exclusive(lock);
    offers[price] += pieces;
}

std::optional<int> OrderBook::best() const
{
    std::shared_lock shared(lock);
    if (offers.empty())
        return std::nullopt;
    return offers.begin()->first;
}

std::optional<int> OrderBook::buy()
{
    std::unique_lock exclusive(lock);
    if (offers.empty())
        return std::nullopt;
    auto cheapest = offers.begin();
    int price = cheapest->first;
    if (--cheapest->second == 0)
        offers.erase(cheapest);
    return price;
}
