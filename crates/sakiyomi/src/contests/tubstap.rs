//! Matches over the network protocol of the original TUBSTAP: our player at someone's server, and a
//! server for two players.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use sakiyomi_catalog::{
    AgentSpec, CatalogGame, GameSpec, MapSource, Seat, TubstapSpec, printable, write_atomically,
};
use sakiyomi_core::{Agent, Context, Game, Player, Rng, Stop, Turn};
use sakiyomi_games::tubstap::network::{MAX_LINE_BYTES, Order, PORT, answer_line, read_answer};
use sakiyomi_games::tubstap::{
    Action, Attacks, Map, Replay, Settings, SizeClass, State, Tubstap, write_replay,
};

use crate::bad_input::{BadInput, warn};

/// How our player joins a match on someone's server.
#[derive(Debug)]
pub struct JoinSettings {
    /// The server, as HOST or HOST:PORT.
    pub server: String,
    pub agent: AgentSpec,
    /// The name that the server is told; the agent's if there is none.
    pub name: Option<String>,
    pub seed: u64,
}

/// A match between two players who join.
#[derive(Debug)]
pub struct HostSettings {
    pub map: PathBuf,
    /// The address to listen at, as HOST:PORT.
    pub address: String,
    /// What a player may take for an answer.
    pub answer_time: Duration,
    /// Where the match is written as a replay.
    pub replay: Option<PathBuf>,
}

/// Calls a function that is generic over the sizes with those that hold the map.
macro_rules! by_size {
    ($map:expr, $function:ident($($argument:expr),*)) => {
        match SizeClass::of($map) {
            SizeClass::Small => $function::<1, 16>($($argument),*),
            SizeClass::Medium => $function::<4, 48>($($argument),*),
            SizeClass::Large => $function::<16, 48>($($argument),*),
        }
    };
}

pub(crate) use by_size;

/// Reads a map file. What is odd about it is told on standard error.
pub(crate) fn read_map_file(path: &Path) -> Result<Map, BadInput> {
    let path = path.display().to_string();
    let (map, warnings) = MapSource::File(path.clone()).read_with_warnings().map_err(BadInput)?;
    warnings.iter().for_each(|warning| warn(&format!("{path}: {warning}")));
    Ok(map)
}

/// The other end of a connection.
struct Peer {
    reader: BufReader<TcpStream>,
    writer: TcpStream,
    /// How long it may take for a whole answer; as long as it likes if there is no limit.
    answer_time: Option<Duration>,
}

impl Peer {
    fn new(stream: TcpStream, answer_time: Option<Duration>) -> anyhow::Result<Peer> {
        // Lines are short and waited for.
        stream.set_nodelay(true)?;
        // A peer that reads nothing must not hold us up either.
        stream.set_write_timeout(answer_time)?;
        Ok(Peer { reader: BufReader::new(stream.try_clone()?), writer: stream, answer_time })
    }

    /// The next line that is not empty; none at the end. The clock runs until the line is there,
    /// however many pieces and empty lines come before.
    fn line(&mut self) -> anyhow::Result<Option<String>> {
        let deadline = self.answer_time.map(|time| Instant::now() + time);
        let mut bytes = Vec::new();
        loop {
            if let Some(deadline) = deadline {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    bail!("no answer in time");
                }
                self.writer.set_read_timeout(Some(left))?;
            }
            let piece = match self.reader.fill_buf() {
                Ok(piece) => piece,
                Err(error) if is_timeout(&error) => continue,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            if piece.is_empty() {
                return Ok(text_of(&bytes));
            }
            let end = piece.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
            let n = end.unwrap_or(piece.len());
            bytes.extend_from_slice(&piece[..n]);
            self.reader.consume(n);
            if bytes.len() as u64 > MAX_LINE_BYTES {
                bail!("a line of more than {MAX_LINE_BYTES} bytes");
            }
            if end.is_some() {
                if let Some(text) = text_of(&bytes) {
                    return Ok(Some(text));
                }
                bytes.clear();
            }
        }
    }

    fn send(&mut self, text: &str) -> anyhow::Result<()> {
        let sent = self.writer.write_all(text.as_bytes()).and_then(|()| self.writer.flush());
        sent.context("the other side takes nothing any more")
    }

    /// Sends an order and returns the answer.
    fn ask(&mut self, order: &Order) -> anyhow::Result<String> {
        self.send(&format!("{}\r\n", order.text()))?;
        let line = self.line()?.context("the connection was closed")?;
        let answer = read_answer(&line);
        Ok(answer
            .with_context(|| format!("`{line}` is no answer, which begins with `=`"))?
            .to_owned())
    }
}

fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// A line without what is around it, as a terminal may show it; nothing if it is empty.
fn text_of(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim();
    (!text.is_empty()).then(|| printable(text))
}

pub fn join(settings: &JoinSettings, out: &mut dyn Write) -> anyhow::Result<()> {
    let server =
        if settings.server.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok()) {
            settings.server.clone()
        } else {
            format!("{}:{PORT}", settings.server)
        };
    let stream = TcpStream::connect(&server).with_context(|| server.clone())?;
    let mut peer = Peer::new(stream, None)?;
    let mut guest = Guest { settings, map: None, seated: None };
    loop {
        let Some(line) = peer.line().with_context(|| server.clone())? else {
            return guest.finish("", out).context("the server closed the connection");
        };
        let order = match Order::read(&line) {
            Ok(order) => order,
            Err(error) => {
                // The server learns what is wrong; a map or a side that is not understood ends the match.
                peer.send(&format!("? {error}\r\n\r\n"))?;
                if line.to_ascii_lowercase().starts_with("map")
                    || line.to_ascii_lowercase().starts_with("color")
                {
                    return Err(BadInput(format!("{server}: {error}")).into());
                }
                continue;
            }
        };
        match guest.answer(&order) {
            Ok(answer) => peer.send(&answer_line(&answer))?,
            Err(error) => {
                peer.send(&format!("? {error:#}\r\n\r\n"))?;
                return Err(error.context(server));
            }
        }
        if let Order::GameOver(words) = &order {
            return guest.finish(words, out);
        }
    }
}

/// Our player at someone's server.
struct Guest<'a> {
    settings: &'a JoinSettings,
    map: Option<Map>,
    seated: Option<Box<dyn Seated + 'a>>,
}

impl Guest<'_> {
    fn answer(&mut self, order: &Order) -> anyhow::Result<String> {
        match order {
            Order::Name => {
                return Ok(self
                    .settings
                    .name
                    .clone()
                    .unwrap_or_else(|| self.settings.agent.to_string()));
            }
            Order::Map(map) => {
                self.map = Some(map.as_ref().clone());
                self.seated = None;
            }
            Order::Color(color) => {
                let map = self.map.as_ref().context("Color came before MAP")?;
                self.seated = Some(by_size!(map, take_seat(map, Player(*color), self.settings))?);
            }
            Order::Genmove => return self.seated()?.choose(),
            Order::Play(fields) => self.seated()?.play(fields)?,
            Order::Status => {
                return Ok(self
                    .seated
                    .as_ref()
                    .and_then(|seated| seated.result())
                    .unwrap_or("playing")
                    .to_owned());
            }
            Order::Opponent(_) | Order::GameOver(_) => {}
        }
        Ok(String::new())
    }

    fn seated(&mut self) -> anyhow::Result<&mut (dyn Seated + '_)> {
        match &mut self.seated {
            Some(seated) => Ok(seated.as_mut()),
            None => bail!("an action came before MAP and Color"),
        }
    }

    /// What is told at the end: our own count of the result, or else the server's words.
    fn finish(&self, words: &str, out: &mut dyn Write) -> anyhow::Result<()> {
        let seated = self.seated.as_ref().context("no match was played")?;
        match seated.result() {
            Some(result) => writeln!(out, "{result}")?,
            None if words.is_empty() => bail!("the match had not ended"),
            None => writeln!(out, "{words}")?,
        }
        Ok(())
    }
}

/// A player with its match, whatever its size.
trait Seated {
    /// Decides, plays it, and returns its fields.
    fn choose(&mut self) -> anyhow::Result<String>;
    fn play(&mut self, fields: &str) -> anyhow::Result<()>;
    fn result(&self) -> Option<&'static str>;
}

struct SeatedAt<const W: usize, const N: usize> {
    game: Tubstap<W, N>,
    state: State<W, N>,
    player: Player,
    agent: Box<dyn Agent<Tubstap<W, N>>>,
    rng: Rng,
}

fn take_seat<const W: usize, const N: usize>(
    map: &Map,
    player: Player,
    settings: &JoinSettings,
) -> anyhow::Result<Box<dyn Seated>>
where
    Tubstap<W, N>: CatalogGame<State = State<W, N>, Action = Action>,
{
    let rules = Settings { attacks: Attacks::All, ..Settings::default() };
    let game = Tubstap::<W, N>::new(map, rules)?;
    let spec: GameSpec = TubstapSpec { map: MapSource::Code(map.code()), settings: rules }.into();
    let agent = settings.agent.build(&game, &Seat { game: &spec, player, seed: settings.seed })?;
    let state = game.start();
    let rng = Rng::stream(&[settings.seed, player.index() as u64]);
    Ok(Box::new(SeatedAt { game, state, player, agent, rng }))
}

impl<const W: usize, const N: usize> Seated for SeatedAt<W, N>
where
    Tubstap<W, N>: CatalogGame<State = State<W, N>, Action = Action>,
{
    fn choose(&mut self) -> anyhow::Result<String> {
        if self.state.to_move() != Some(self.player) {
            bail!("Genmove came when it was not our turn");
        }
        let mut context = Context { rng: &mut self.rng, stop: &Stop::new() };
        let choice = self
            .agent
            .choose(&self.game, &self.state, self.player, &mut context)
            .map_err(|forfeit| anyhow::anyhow!("the agent gave up: {forfeit}"))?;
        let (action, fields) = self
            .game
            .action_fields(&self.state, choice.action)
            .context("there is nothing to do")?;
        self.game.apply(&mut self.state, &[action]);
        Ok(fields)
    }

    fn play(&mut self, fields: &str) -> anyhow::Result<()> {
        if self.state.to_move() == Some(self.player) {
            bail!("play came when it was our turn");
        }
        self.game.play_fields(&mut self.state, fields).map_err(BadInput)?;
        Ok(())
    }

    fn result(&self) -> Option<&'static str> {
        self.game.result_text(&self.state)
    }
}

pub fn host(settings: &HostSettings, out: &mut dyn Write) -> anyhow::Result<()> {
    let map = read_map_file(&settings.map)?;
    let address = &settings.address;
    let listener = TcpListener::bind(address).with_context(|| address.clone())?;
    writeln!(out, "waiting for two players at {}", listener.local_addr()?)?;
    out.flush()?;
    let (mut peers, names) = two_players(listener, settings.answer_time, out)?;
    by_size!(&map, host_match(&map, &mut peers, names, settings.replay.as_deref(), out))
}

/// Connections that are asked for their names at the same time; others are closed.
const MAX_ASKED: usize = 64;
/// What a connection may take to say its name, if that is less than the time for an answer: players
/// answer this at once, and one that does not is no player.
const NAME_TIME: Duration = Duration::from_secs(10);

/// Waits for two players. Connections are asked for their names side by side, so that one that
/// does not answer keeps no other out; the first to say its name is RED.
fn two_players(
    listener: TcpListener,
    answer_time: Duration,
    out: &mut dyn Write,
) -> anyhow::Result<(Vec<Peer>, [String; 2])> {
    let (sender, named) = mpsc::sync_channel(MAX_ASKED);
    let is_full = Arc::new(AtomicBool::new(false));
    let closed = Arc::clone(&is_full);
    thread::spawn(move || ask_names(&listener, answer_time, &sender, &closed));
    let (mut peers, mut names) = (Vec::new(), Vec::new());
    while peers.len() < 2 {
        let (from, joined) = named.recv().context("no more connections can be accepted")?;
        match joined {
            Ok((peer, name)) => {
                let side = ["RED", "BLUE"][peers.len()];
                writeln!(out, "{side} is {name} from {from}")?;
                names.push(name);
                peers.push(peer);
            }
            Err(error) => writeln!(out, "a connection from {from} was refused: {error:#}")?,
        }
        out.flush()?;
    }
    is_full.store(true, Ordering::Relaxed);
    Ok((peers, names.try_into().expect("there are two")))
}

/// A connection, and the player that it is or why it is none.
type Joined = (SocketAddr, anyhow::Result<(Peer, String)>);

/// Accepts connections and asks each for its name, on a thread of its own, until there are enough.
fn ask_names(
    listener: &TcpListener,
    answer_time: Duration,
    sender: &SyncSender<Joined>,
    is_full: &AtomicBool,
) {
    let n_asked = Arc::new(AtomicUsize::new(0));
    while let Ok((stream, from)) = listener.accept() {
        if is_full.load(Ordering::Relaxed) || n_asked.load(Ordering::Relaxed) >= MAX_ASKED {
            continue;
        }
        n_asked.fetch_add(1, Ordering::Relaxed);
        let (sender, n_asked) = (sender.clone(), Arc::clone(&n_asked));
        thread::spawn(move || {
            let joined =
                Peer::new(stream, Some(answer_time.min(NAME_TIME))).and_then(|mut peer| {
                    let name = peer.ask(&Order::Name)?;
                    peer.answer_time = Some(answer_time);
                    Ok((peer, name))
                });
            n_asked.fetch_sub(1, Ordering::Relaxed);
            // Who comes too late finds the connection closed.
            let _ = sender.send((from, joined));
        });
    }
}

fn host_match<const W: usize, const N: usize>(
    map: &Map,
    peers: &mut [Peer],
    names: [String; 2],
    replay: Option<&Path>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let settings = Settings { attacks: Attacks::All, ..Settings::default() };
    let game = Tubstap::<W, N>::new(map, settings)?;
    let mut state = game.start();
    let mut actions = Vec::new();
    let mut lost: Option<(usize, anyhow::Error)> = None;
    for side in 0..2 {
        let orders = [
            Order::Opponent(names[1 - side].clone()),
            Order::Map(Box::new(map.clone())),
            Order::Color(side as u8),
        ];
        for order in &orders {
            if let Err(error) = peers[side].ask(order) {
                lost.get_or_insert((side, error));
            }
        }
    }
    while let (None, Turn::Choose(who)) = (&lost, game.turn(&state)) {
        let side = who.single().map_or(0, Player::index);
        match one_action(&game, &mut state, &mut peers[side]) {
            Ok((action, fields)) => {
                actions.extend(action);
                if let Err(error) = peers[1 - side].ask(&Order::Play(fields)) {
                    lost = Some((1 - side, error));
                }
            }
            Err(error) => lost = Some((side, error)),
        }
    }
    let result = match &lost {
        Some((side, error)) => {
            let winner = ["BLUE", "RED"][*side];
            format!("{winner} wins: {} failed: {error:#}", ["RED", "BLUE"][*side])
        }
        None => game.result_text(&state).expect("the match is over").to_owned(),
    };
    for peer in peers {
        // A player that is gone need not be told.
        peer.ask(&Order::GameOver(result.clone())).ok();
    }
    writeln!(out, "{result} after {} turns", state.turns())?;
    let Some(path) = replay else { return Ok(()) };
    let turns = game.replay_turns(&game.start(), &actions);
    let text =
        write_replay(&Replay { map: map.clone(), date: String::new(), players: names, turns });
    write_atomically(path, |file| file.write_all(text.as_bytes()))
        .with_context(|| path.display().to_string())
}

/// Asks for an action, plays it, and returns it with its fields. A surrender is no action.
fn one_action<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &mut State<W, N>,
    peer: &mut Peer,
) -> anyhow::Result<(Option<Action>, String)> {
    let fields = peer.ask(&Order::Genmove)?;
    let action = game.play_fields(state, &fields).map_err(BadInput)?;
    Ok((action, fields))
}
