//! The shop with the bug: it looks whether there is a ticket and takes it in two critical sections.

use std::sync::Mutex;

use crate::Shop;

/// Tickets for one concert.
pub struct Tickets {
    left: Mutex<i32>,
}

impl Tickets {
    /// So many tickets.
    pub fn new(count: i32) -> Tickets {
        Tickets {
            left: Mutex::new(count),
        }
    }

    /// How many are left.
    pub fn left(&self) -> i32 {
        *self.left.lock().unwrap()
    }
}

impl Shop for Tickets {
    fn buy(&self) -> bool {
        let left = self.left();
        if left == 0 {
            return false;
        }
        // Another task may have bought one by now; what it stored is overwritten.
        *self.left.lock().unwrap() = left - 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::net::TcpListener;

    use super::Tickets;
    use crate::{Shop, buy_remotely, serve};

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn every_ticket_is_sold_once() {
        let tickets = Arc::new(Tickets::new(4));
        let buyers: Vec<_> = (0..2)
            .map(|_| {
                let tickets = Arc::clone(&tickets);
                tokio::spawn(async move {
                    let mut bought = 0;
                    for _ in 0..3 {
                        bought += i32::from(tickets.buy());
                        tokio::task::yield_now().await;
                    }
                    bought
                })
            })
            .collect();
        let mut sold = 0;
        for buyer in buyers {
            sold += buyer.await.unwrap();
        }
        assert_eq!((sold, tickets.left()), (4, 0));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_last_ticket_is_sold_once_over_tcp() {
        let tickets = Arc::new(Tickets::new(1));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(serve(listener, Arc::clone(&tickets), 2));
        let other = tokio::spawn(buy_remotely(address));
        let first = buy_remotely(address).await.unwrap();
        let second = other.await.unwrap().unwrap();
        server.await.unwrap().unwrap();
        assert_ne!(first, second);
        assert_eq!(tickets.left(), 0);
    }
}
