// Two buyers, released together by a latch, and one piece for sale: one of them gets it.
#include "order_book.hpp"

#include <cassert>
#include <latch>
#include <thread>

int main()
{
    OrderBook book;
    book.offer(10, 1);
    std::optional<int> bought[2];
    {
        std::latch start(2);
        auto buyer = [&](int number) {
            start.arrive_and_wait();
            bought[number] = book.buy();
        };
        std::jthread one(buyer, 0), two(buyer, 1);
    }
    assert(bought[0].has_value() != bought[1].has_value());
    assert(!book.best());
    return 0;
}
