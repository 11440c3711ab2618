//! A bar on standard error for work that lasts longer than a second. Nothing is drawn without a terminal.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work shorter than this has no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Does `work` of so many steps; it calls what it is given after each step.
pub fn with<T: Send>(steps: usize, work: impl FnOnce(&(dyn Fn() + Sync)) -> T + Send) -> T {
    let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {eta} left") {
        bar.set_style(style);
    }
    let (done, wait) = channel::<()>();
    let result = thread::scope(|scope| {
        let bar = &bar;
        scope.spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                bar.set_draw_target(ProgressDrawTarget::stderr());
                bar.enable_steady_tick(PATIENCE / 2);
            }
        });
        let result = work(&|| bar.inc(1));
        drop(done);
        result
    });
    bar.finish_and_clear();
    result
}
