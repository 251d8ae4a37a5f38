// The book with the bug: the lowest price is looked up under a shared lock and taken under an
// exclusive one, so that another buyer may have taken the last piece in between.
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
    std::optional<int> price = best();
    if (!price)
        return std::nullopt;
    std::unique_lock exclusive(lock);
    if (--offers[*price] == 0)
        offers.erase(*price);
    return price;
}
