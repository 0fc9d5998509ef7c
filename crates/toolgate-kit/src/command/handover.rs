//! How an order gets from the owner to the supervisor, with the pipe that a piped program reads.
//!
//! A supervisor is started with three descriptors: the socket, and the two places that the program prints to. What the
//! program reads is the fourth, and travels with the order, as a right that the socket carries. Nothing here waits
//! longer than the socket's own limits.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

use super::Ender;
use super::owner::BEGINNING;
use super::wire::{self, Order};

/// What a supervisor was handed.
pub(super) struct Handed {
    /// The order, with its line end; empty where the owner was gone before it said anything.
    pub(super) line: Vec<u8>,
    /// What the program is to read.
    pub(super) input: Option<OwnedFd>,
    /// The owner has said something since.
    pub(super) says_more: bool,
}

/// Sends an order, and what its program is to read.
pub(super) fn send_order(ender: &Ender, order: &Order, input: Option<&OwnedFd>) -> io::Result<()> {
    let socket = ender.socket();
    socket.set_write_timeout(Some(BEGINNING))?;
    let line = wire::line(order)?;
    let mut rest = line.as_slice();
    let mut rights = input.map(|input| [input.as_fd()]);
    while !rest.is_empty() {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if let Some(rights) = &rights {
            control.push(SendAncillaryMessage::ScmRights(rights));
        }
        let sent = sendmsg(socket, &[IoSlice::new(rest)], &mut control, SendFlags::NOSIGNAL)?;
        rights = None;
        rest = rest.get(sent..).unwrap_or_default();
    }
    ender.is_ordered();
    Ok(())
}

/// Waits for the order.
pub(super) fn receive_order(owner: &UnixStream) -> io::Result<Handed> {
    let mut handed = Handed { line: Vec::new(), input: None, says_more: false };
    let mut block = vec![0; 64 << 10];
    loop {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let received = {
            let mut into = [IoSliceMut::new(&mut block)];
            match recvmsg(owner, &mut into, &mut control, flags()) {
                Err(rustix::io::Errno::INTR) => continue,
                received => received?.bytes,
            }
        };
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(rights) = message {
                handed.input = rights.last().or(handed.input.take());
            }
        }
        let bytes = block.get(..received).unwrap_or_default();
        match bytes.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                handed.line.extend_from_slice(bytes.get(..=end).unwrap_or_default());
                handed.says_more = end + 1 < bytes.len();
                return Ok(handed);
            }
            None if received == 0 => return Ok(handed),
            None => handed.line.extend_from_slice(bytes),
        }
    }
}

/// Nothing but the program is to inherit the descriptor.
#[cfg(target_os = "linux")]
fn flags() -> RecvFlags {
    RecvFlags::CMSG_CLOEXEC
}

/// There is no such flag here; the supervisor starts one program only, which closes what it does not know.
#[cfg(not(target_os = "linux"))]
fn flags() -> RecvFlags {
    RecvFlags::empty()
}
