// A wire between a journal and its server that can be cut at a moment of our choice, asks for a password, or speaks TLS:
// the server of the tests trusts everybody and has no certificate.
import net from 'node:net';
import tls from 'node:tls';
import { onTestFinished } from 'vitest';

export interface RelayOptions {
  /** Whoever does not give it is refused, as the server would. */
  password?: string;
  /** Of the relay, for whoever asks for TLS. */
  certificate?: { key: string; cert: string };
}

export interface Relay {
  /** The address of the journal, by this way. */
  address: string;
  /** Ends every connection and takes no new one. */
  cut(): void;
  mend(): void;
  /**
   * Cuts the wire for good as soon as a statement with this text passes: before the server has seen it, or when it has
   * answered and nobody has been told.
   */
  cutAt(moment: 'before' | 'after', text: string): void;
  /** How many connections were asked for. */
  connections(): number;
  /** How each client that went so far as to say who it is said it. */
  heard: ('plain' | 'encrypted')[];
}

const TLS_REQUEST = 80877103;

/** In front of the server that a journal's address names. */
export async function relayTo(address: string, options: RelayOptions = {}): Promise<Relay> {
  const target = new URL(address);
  const open = new Set<net.Socket>();
  let isCut = false;
  let asked = 0;
  const heard: Relay['heard'] = [];
  let strike: { moment: 'before' | 'after'; text: string } | undefined;

  const cut = () => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  const keep = (socket: net.Socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
  };

  function carry(client: net.Socket, startup: Buffer): void {
    const server = net.connect(Number(target.port || 5432), target.hostname);
    keep(server);
    server.write(startup);
    let isStruck = false;
    client.on('data', chunk => {
      const hit = strike !== undefined && chunk.includes(strike.text);
      if (hit && strike?.moment === 'before') return cut();
      if (hit) isStruck = true;
      server.write(chunk);
    });
    server.on('data', chunk => {
      if (isStruck) cut();
      else client.write(chunk);
    });
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }

  function greet(client: net.Socket): void {
    client.once('data', first => {
      if (first.readInt32BE(4) === TLS_REQUEST) return encrypt(client);
      heard.push(client instanceof tls.TLSSocket ? 'encrypted' : 'plain');
      if (options.password === undefined) return carry(client, first);
      client.write(message('R', Buffer.from([0, 0, 0, 3])));
      client.once('data', given => {
        if (given.toString('utf8', 5, given.length - 1) === options.password) return carry(client, first);
        client.end(message('E', Buffer.from('SFATAL\0C28P01\0Mpassword authentication failed\0\0')));
      });
    });
  }

  function encrypt(client: net.Socket): void {
    if (!options.certificate) return void client.end('N');
    client.write('S');
    const secure = new tls.TLSSocket(client, { isServer: true, ...options.certificate });
    keep(secure);
    greet(secure);
  }

  const server = net.createServer(client => {
    asked += 1;
    keep(client);
    if (isCut) client.destroy();
    else greet(client);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    cut();
    await new Promise(resolve => server.close(resolve));
  });
  const url = new URL(address);
  url.host = `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  return {
    address: url.href,
    cut,
    mend() {
      isCut = false;
      strike = undefined;
    },
    cutAt(moment, text) {
      strike = { moment, text };
    },
    connections: () => asked,
    heard,
  };
}

/** One of the protocol: its letter, its length, its content. */
function message(letter: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}
