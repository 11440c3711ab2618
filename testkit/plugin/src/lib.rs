//! A QEMU TCG plugin that knows the truth about NUMA locality in a guest.
//!
//! It sees every access that user-mode code makes to one window of guest-virtual addresses, counts it by
//! virtual CPU and by the node that holds the memory, and can spin on each remote one, so that bad
//! placement costs throughput as it does on hardware. A store to the page below the window writes a line
//! with the counts since the line before; the number of the word stored to becomes the line's `mark`.
//!
//! `-plugin file=libnumaplug.so,out=FILE,base=HEX,len=HEX,delay_ns=N,node=MIB:CPUS,node=MIB:CPUS,…`
//! with one `node` a node in the order of the machine's nodes, its memory and its CPUs (`0-1`, may be
//! empty).

mod count;
mod options;
// Needs QEMU's symbols, which a test program lacks.
#[cfg(not(test))]
mod qemu;
