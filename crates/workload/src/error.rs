//! Why a workload could not be built.

/// Why a workload could not be named, built, read or run on a machine.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No preset or group has this name.
    #[error("no workload is called `{name}`; did you mean `{nearest}`?")]
    UnknownPreset {
        /// As given.
        name: String,
        /// The known name most like it.
        nearest: &'static str,
    },
    /// A parameter is out of range.
    #[error("{workload}: parameter `{parameter}` is {value}, expected {expected}")]
    Parameter {
        /// Name of the preset.
        workload: &'static str,
        /// Name of the parameter.
        parameter: &'static str,
        /// As given.
        value: String,
        /// The range.
        expected: String,
    },
}
