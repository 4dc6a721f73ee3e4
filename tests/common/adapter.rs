//! The adapter under test.

use swaplist::gpu::adapters;

/// The name of the adapter under test: the part of one that `GPU_TESTS` has, or that of the best
/// adapter. Named, a software adapter is used too. A missing one fails: tests that need one are in
/// modules `on_gpu`, which can be left out.
pub fn name() -> String {
    std::env::var("GPU_TESTS").unwrap_or_else(|_| {
        let best = adapters().into_iter().next();
        best.expect("no adapter: install a Vulkan driver, or run the tests with -- --skip on_gpu")
            .name
    })
}
