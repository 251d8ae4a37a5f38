//! Runs the tellers: `production` on tokio, otherwise under control, where the hasty ones fail.

use tellers::{Careful, Hasty, two_transfers};
use unpick_actors::Wait;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("production") {
        let tokio = tokio::runtime::Runtime::new().expect("tokio can be started");
        println!("{:?}", tokio.block_on(two_transfers(|| Careful)));
        return;
    }
    unpick::check_with(unpick::Config::new().name("two_transfers"), || {
        let total: u64 = two_transfers(|| Hasty).wait().iter().sum();
        assert_eq!(total, 100, "money was lost or made");
    });
}
