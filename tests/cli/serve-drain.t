# SIGTERM under load: every request that the server accepted has its response, and the next connection is refused.
% python3
$ cleave train perceptron @spam6 -o spam.model -q
$ cat > load.py <<'EOF'
> import os, signal, socket, sys, threading, time
> port, server = int(sys.argv[1]), int(sys.argv[2])
> request = b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1 1:1 2:1\n"
> counts = {"answered": 0, "dropped": 0, "refused": 0}
> lock = threading.Lock()
> def count(what):
>     with lock:
>         counts[what] += 1
> def answer(reader):
>     if not reader.readline().startswith(b"HTTP/1.1 200"):
>         raise OSError
>     length, closes = 0, False
>     for line in iter(reader.readline, b"\r\n"):
>         if line.startswith(b"Content-Length: "):
>             length = int(line[16:])
>         closes = closes or line == b"Connection: close\r\n"
>     if len(reader.read(length)) != length:
>         raise OSError
>     return closes
> def client():
>     while True:
>         try:
>             connection = socket.create_connection(("127.0.0.1", port), 10)
>         except OSError:
>             return count("refused")
>         reader, closes = connection.makefile("rb"), False
>         while not closes:
>             try:
>                 connection.sendall(request)
>                 closes = answer(reader)
>                 count("answered")
>             except OSError:
>                 count("dropped")
>                 closes = True
>         reader.close()
>         connection.close()
> clients = [threading.Thread(target=client) for _ in range(16)]
> [thread.start() for thread in clients]
> time.sleep(0.5)
> os.kill(server, signal.SIGTERM)
> [thread.join() for thread in clients]
> print(counts["answered"] > 16, counts["dropped"], counts["refused"])
> EOF
$ for i in 1 2 3; do rm -f out; cleave serve spam.model --listen 127.0.0.1:0 > out 2> err & for ((j = 0; j < 200; j++)); do [[ -s out ]] && break; sleep 0.05; done; python3 load.py $(sed 's/.*:\([0-9]*\)\.$/\1/' out) $!; wait $!; echo $?; cat err; done
True 0 16
0
True 0 16
0
True 0 16
0
