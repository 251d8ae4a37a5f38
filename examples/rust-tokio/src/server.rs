//! The shop over TCP: a client connects, sends a byte, and gets `1` (sold) or `0` (sold out) back.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Something that sells tickets.
pub trait Shop: Send + Sync + 'static {
    /// Sells a ticket, if there is one.
    fn buy(&self) -> bool;
}

/// Serves so many clients, each in a task of its own.
pub async fn serve(listener: TcpListener, shop: Arc<impl Shop>, clients: usize) -> io::Result<()> {
    let mut tasks = Vec::new();
    for _ in 0..clients {
        let (stream, _) = listener.accept().await?;
        tasks.push(tokio::spawn(sell(stream, Arc::clone(&shop))));
    }
    for task in tasks {
        task.await.map_err(io::Error::other)??;
    }
    Ok(())
}

async fn sell(mut stream: TcpStream, shop: Arc<impl Shop>) -> io::Result<()> {
    stream.read_u8().await?;
    stream.write_u8(u8::from(shop.buy())).await
}

/// Buys a ticket from a shop that is served somewhere.
pub async fn buy_remotely(shop: SocketAddr) -> io::Result<bool> {
    let mut stream = TcpStream::connect(shop).await?;
    stream.write_u8(b'?').await?;
    Ok(stream.read_u8().await? == 1)
}
