//! The order of results by itself: `files/src/jobs/order.rs` beside small stand-ins for what it
//! uses, as only a rare meeting of a slow block and a fast device leads to what is tested here.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use block_output::BlockOutput;
use order::Order;

/// What waits here, of which only the length matters.
mod block_output {
    pub struct BlockOutput {
        pub is_part: bool,
        pub length: usize,
    }

    impl BlockOutput {
        pub fn bytes(&self) -> usize {
            self.length
        }
    }
}

/// Errors, of which none occurs.
mod error {
    #[derive(Debug)]
    pub struct Error;

    pub type Result<T, E = Error> = std::result::Result<T, E>;

    impl Error {
        pub fn cancelled() -> Error {
            Error
        }

        pub fn panicked() -> Error {
            Error
        }
    }
}

#[allow(dead_code)] // other parts are tested by whole jobs
#[path = "../../../src/jobs/order.rs"]
mod order;

/// A worker that had begun block 0 before a device took over hands it in when the device has done
/// many later blocks. Their output waits for block 0, so block 0 must not wait for room.
#[test]
fn the_next_block_never_waits_for_room() {
    const BLOCKS: u64 = 40;
    let (written, blocks) = mpsc::channel();
    let order = Order::new(move |outcome: error::Result<BlockOutput>| {
        written.send(outcome?.length).unwrap();
        Ok(std::ops::ControlFlow::Continue(()))
    });
    let block = || {
        Ok(BlockOutput {
            is_part: false,
            length: 1 << 20,
        })
    };
    for number in 1..BLOCKS {
        order.put_at_once(number, block()).unwrap();
    }
    thread::scope(|scope| {
        scope.spawn(|| order.put(0, block()));
        let first = blocks.recv_timeout(Duration::from_secs(20));
        if first.is_err() {
            // Ends the wait, so that the test fails and does not hang.
            order.fail(error::Error);
        }
        first.expect("block 0 is written");
    });
    assert_eq!(blocks.try_iter().count() as u64, BLOCKS - 1);
}
