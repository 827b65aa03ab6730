# Socket activation: the server takes the listening socket of its parent (systemd), which keeps it.
% python3
$ cleave train perceptron @spam6 -o spam.model -q
$ cat > activate.py <<'EOF'
> import os, socket, sys, http.client, signal, subprocess, time
> class Local(http.client.HTTPConnection):
>     def connect(self):
>         self.sock = socket.socket(family)
>         self.sock.connect(address)
> def start(count="1"):
>     code = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.environ.update(LISTEN_FDS=sys.argv[2], LISTEN_PID=str(os.getpid())); os.execvp('cleave', ['cleave', 'serve', 'spam.model'])"
>     return subprocess.Popen([sys.executable, "-c", code, str(listener.fileno()), count], pass_fds=[listener.fileno()], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
> def predict(connection):
>     connection.request("POST", "/predict", "1 1:1")
>     return connection.getresponse().read().decode()[:9]
> for family, name in (socket.AF_UNIX, "here"), (socket.AF_INET, ("127.0.0.1", 0)):
>     listener = socket.socket(family)
>     listener.bind(name)
>     listener.listen()
>     address = listener.getsockname()
>     early = Local("x", timeout=60)
>     early.connect() # before the server starts
>     server = start()
>     print(predict(early), server.stdout.readline().split(":")[0])
>     server.terminate()
>     print(server.wait(60))
>     late = Local("x", timeout=60)
>     late.connect() # between two servers
>     server = start()
>     print(predict(late))
>     server.terminate()
>     server.wait(60)
> server = start("2")
> print(server.stdout.read().strip(), server.wait(60))
> listener = open("spam.model")
> server = start()
> print(server.stdout.read().strip(), server.wait(60))
> EOF
$ python3 activate.py
{"row":1, Serving 1 model at unix
0
{"row":1,
{"row":1, Serving 1 model at http
0
{"row":1,
cleave: LISTEN_FDS is '2', but the server listens on one socket 2
cleave: the inherited socket: it is not a listening socket 2
