//! Ctrl-C: the first asks for an end after the cells that run, the second ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use crate::{Error, Exit};

/// Whether an end was asked for.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// One that is raised by SIGINT from now on.
    ///
    /// # Errors
    /// [`Error::Signal`].
    pub fn handled() -> Result<Self, Error> {
        let raised = Arc::new(AtomicBool::new(false));
        // In this order: the second interrupt must find the flag that the first raised.
        flag::register_conditional_shutdown(SIGINT, Exit::Interrupted as i32, Arc::clone(&raised))
            .and_then(|_| flag::register(SIGINT, Arc::clone(&raised)))
            .map_err(Error::Signal)?;
        Ok(Self(raised))
    }

    /// Asks for an end.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether an end was asked for.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
