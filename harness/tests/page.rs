//! The page that runs vectors in a browser, from the browser's side: a client that speaks as the page does.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

const WEBNN: &str = env!("CARGO_BIN_EXE_webnn");

/// A run that waits for a page, and the page's address.
struct Served {
    child: Child,
    port: u16,
    session: String,
    results: PathBuf,
}

fn served(name: &str) -> Served {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("page");
    fs::create_dir_all(&folder).unwrap();
    let results = folder.join(format!("{name}.jsonl"));
    let vectors = folder.join(format!("{name}.json"));
    let vector = |number: u32| {
        json!({ "name": format!("relu {number}"), "graph": {
            "inputs": { "x": { "descriptor": { "dataType": "float32", "shape": [1] }, "data": [number] } },
            "operators": [{ "name": "relu", "arguments": [{ "input": "x" }], "outputs": "y" }],
            "expectedOutputs": { "y": { "descriptor": { "dataType": "float32", "shape": [1] }, "data": [number] } } } })
    };
    let tests: Vec<Value> = (1..=3).map(vector).collect();
    fs::write(&vectors, json!({ "source": "worked example", "tests": tests }).to_string()).unwrap();
    let mut child = Command::new(WEBNN)
        .args(["serve", vectors.to_str().unwrap(), "--output", results.to_str().unwrap()])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let url = lines.find(|line| line.contains("http://")).unwrap();
    let (address, query) = url.trim().split_once("/?").unwrap();
    let port = address.rsplit_once(':').unwrap().1.parse().unwrap();
    let session = query.split('&').find_map(|pair| pair.strip_prefix("session=")).unwrap().to_owned();
    Served { child, port, session, results }
}

impl Served {
    fn request(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all((head + body).as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        let status = response.split(' ').nth(1).unwrap().parse().unwrap();
        (status, response.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let path = format!("{path}?session={}", self.session);
        let (status, body) = self.request("POST", &path, &body.to_string());
        (status, serde_json::from_str(&body).unwrap_or_default())
    }

    fn ready(&self) {
        let ready = json!({ "answer": "ready", "protocol": 1, "name": "test", "version": "1" });
        assert_eq!(self.post("/ready", &ready).0, 204);
    }

    /// The lines of the result file, once the run has ended.
    fn results(mut self) -> Vec<Value> {
        self.child.wait().unwrap();
        let text = fs::read_to_string(&self.results).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// The answer that is right: relu of a positive number is the number.
fn right(command: &Value) -> Value {
    let input = &command["vector"]["graph"]["inputs"]["x"];
    let output = json!({ "dataType": "float32", "shape": [1], "bytes": input["bytes"] });
    json!({ "answer": "result", "seq": command["seq"], "outputs": { "y": output } })
}

fn outcomes(lines: &[Value]) -> Vec<String> {
    let mut outcomes: Vec<_> = lines.iter().filter(|line| line["line"] == "result").collect();
    outcomes.sort_by_key(|line| line["vector"].to_string());
    outcomes.iter().map(|line| line["outcome"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_page_runs_vectors() {
    let served = served("runs");
    let (status, index) = served.request("GET", "/", "");
    assert!(status == 200 && index.contains("page.js"), "{index}");
    assert_eq!(served.request("GET", "/page.js", "").0, 200);
    assert_eq!(served.request("GET", "/page.css", "").0, 200);
    assert_eq!(served.request("GET", "/etc/passwd", "").0, 404);
    assert_eq!(served.request("POST", "/ready?session=0", "{}").0, 403);
    served.ready();
    let mut answer = Value::Null;
    loop {
        let (status, command) = served.post("/next", &answer);
        assert_eq!(status, 200);
        assert_eq!(command["progress"]["total"], 3, "{command}");
        if command["command"] == "stop" {
            assert_eq!(command["progress"]["done"], 3, "{command}");
            assert_eq!(command["progress"]["outcomes"], json!({ "passed": 3 }), "{command}");
            break;
        }
        answer = right(&command);
    }
    let lines = served.results();
    assert_eq!(outcomes(&lines), ["passed", "passed", "passed"]);
    assert_eq!(lines.last().unwrap()["line"], "footer");
}

#[test]
fn a_page_that_is_loaded_anew_costs_one_vector() {
    let served = served("anew");
    served.ready();
    let (_, first) = served.post("/next", &Value::Null);
    let (_, second) = served.post("/next", &right(&first));
    // Again, as after a lost response; and one that was answered before.
    assert_eq!(served.post("/next", &Value::Null).1, second);
    assert_eq!(served.post("/next", &right(&first)).1, second);
    served.ready();
    let (_, third) = served.post("/next", &Value::Null);
    assert_ne!(third["seq"], second["seq"]);
    served.post("/next", &right(&third));
    assert_eq!(outcomes(&served.results()), ["passed", "errored", "passed"]);
}

#[test]
fn what_is_not_supported_is_skipped() {
    let served = served("unsupported");
    served.ready();
    let mut answer = Value::Null;
    while let (200, command) = served.post("/next", &answer)
        && command["command"] == "run"
    {
        answer = json!({ "answer": "exception", "seq": command["seq"], "name": "TypeError", "message": "no",
            "unsupported": "float32 is not supported" });
    }
    assert_eq!(outcomes(&served.results()), ["skipped", "skipped", "skipped"]);
}

#[test]
fn a_vector_is_sent_again_once_the_browser_was_started_anew() {
    let served = served("fatal");
    served.ready();
    let (_, first) = served.post("/next", &Value::Null);
    let gone = json!({ "answer": "errored", "seq": first["seq"], "message": "no context", "fatal": "WebNN is gone" });
    assert_eq!(served.post("/next", &gone).0, 204);
    served.ready();
    let (_, again) = served.post("/next", &Value::Null);
    assert_eq!(again["vector"]["id"], first["vector"]["id"]);
    let mut answer = right(&again);
    while let (200, command) = served.post("/next", &answer)
        && command["command"] == "run"
    {
        answer = right(&command);
    }
    assert_eq!(outcomes(&served.results()), ["passed", "passed", "passed"]);
}

#[test]
fn a_browser_without_webnn_says_why() {
    let mut served = served("without");
    served.post("/ready", &json!({ "answer": "errored", "message": "there is no navigator.ml" }));
    assert_eq!(served.child.wait().unwrap().code(), Some(78));
}

#[cfg(unix)]
#[test]
fn a_browser_that_ends_is_noticed_at_once() {
    use std::os::unix::fs::PermissionsExt as _;
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("gone");
    fs::write(&path, "#!/bin/sh\necho no display, see --no-sandbox >&2\nexit 7\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let begun = std::time::Instant::now();
    let browser = format!("gone=browser:'{}'", path.display());
    let output = Command::new(WEBNN).args(["run", "-f", "relu/", "-i", &browser]).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(78), "{complaint}");
    assert!(complaint.contains("gone did not start: the browser ended (exit status: 7)"), "{complaint}");
    assert!(complaint.contains("stderr: no display"), "{complaint}");
    assert!(complaint.contains("browser:PATH --no-sandbox"), "{complaint}");
    assert!(begun.elapsed() < std::time::Duration::from_secs(30), "it was waited for");
}
