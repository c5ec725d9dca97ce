//! A safe interface to the object that build.rs compiles.
use std::ffi::{c_int, c_void};

include!(concat!(env!("OUT_DIR"), "/sizes.rs"));

pub const PIXELS: usize = 64;
pub const DIGITS: usize = 10;

extern "C" {
    fn digits_run(x: *const f32, scores: *mut f32, arena: *mut c_void) -> c_int;
    fn digits_supported() -> c_int;
}

#[repr(C, align(64))]
struct Arena([u8; ARENA_BYTES]);

/// The network, with the scratch memory of one call at a time.
pub struct Network {
    arena: Box<Arena>,
}

impl Network {
    /// None if this processor lacks instructions that the code uses.
    pub fn new() -> Option<Self> {
        // SAFETY: the function takes nothing and has no state.
        let supported = unsafe { digits_supported() } != 0;
        supported.then(|| Self { arena: Box::new(Arena([0; ARENA_BYTES])) })
    }

    /// The digit with the highest score. Pixels are from 0 to 16.
    pub fn classify(&mut self, image: &[f32; PIXELS]) -> usize {
        let mut scores = [0.0; DIGITS];
        let arena = self.arena.0.as_mut_ptr().cast();
        // SAFETY: the sizes are those of digits.h, and the arena is aligned to 64 bytes.
        unsafe { digits_run(image.as_ptr(), scores.as_mut_ptr(), arena) };
        (0..DIGITS).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap()
    }
}
