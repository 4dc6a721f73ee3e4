//! The processor's time that something takes, on Linux.

/// User and system time of this process so far, in seconds.
fn cpu_time() -> [f64; 2] {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let after = stat.rsplit(')').next().unwrap_or_default();
    let mut fields = after.split_whitespace().skip(11).map(|field| {
        // A hundredth of a second a tick.
        field.parse::<f64>().unwrap_or_default() / 100.0
    });
    [(); 2].map(|()| fields.next().unwrap_or_default())
}

/// The user and system time that something takes, in seconds.
pub fn timed(work: impl FnOnce()) -> [f64; 2] {
    let before = cpu_time();
    work();
    let after = cpu_time();
    core::array::from_fn(|i| after[i] - before[i])
}
