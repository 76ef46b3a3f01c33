import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { connect as connectByTls } from 'node:tls'
import { writePdu } from '#server/dicom/upper-layer/pdu-writer.ts'
import { associateRq, ECHO_CONTEXT } from '../support/requestor.ts'

// A host that attacks the gateway, as a process of its own: node attacker.ts TARGETS ATTACK…
// It prints "in position" when what it holds is open, goes on until its standard input ends, and
// opens again what the gateway closes.

export interface Targets {
  /** Address to attack from. */
  readonly from: string
  readonly http: number
  readonly https: number
  readonly dimse: number
  readonly dimseTls: number
}

const ATTACKS = {
  /** TCP to the ports that speak TLS, and nothing else. */
  handshakes: ({ https, dimseTls }) => [hold(1000, https), hold(300, dimseTls)],
  /** TCP to every port, and nothing else. */
  silence: ({ http, https, dimse, dimseTls }) =>
    [http, https, dimse, dimseTls].map((port) => hold(1000, port)),
  /** C-ECHO associations under invented AE titles, held open. */
  titles: ({ dimse }) => [
    hold(500, dimse, (socket, n) => void socket.write(associate(`INVENTED${n}`))),
  ],
  /** Wrong passwords, as fast as eight connections can, and hundreds of wrong API keys a second. */
  guesses: ({ http, https }) => [
    flood(4, http, signIn),
    flood(4, https, signIn),
    flood(2, http, guessKeys),
  ],
  /** Large answers that are not read. */
  'slow readers': ({ http }) => [
    hold(300, http, (socket, n) => {
      socket.pause()
      socket.write(
        `GET /openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`.repeat(n % 2 === 0 ? 1 : 50),
      )
    }),
  ],
  /** Requests and PDUs that come a byte at a time. */
  'slow senders': ({ http, dimse }) => [
    hold(300, http, (socket) =>
      drip(socket, Buffer.from(`POST /dashboard/session HTTP/1.1\r\nhost: 127.0.0.1\r\n`)),
    ),
    hold(300, http, (socket) => {
      socket.write(
        'POST /dashboard/session HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n',
      )
      socket.write('content-length: 100000\r\n\r\n')
      drip(socket, Buffer.alloc(100_000, ' '))
    }),
    hold(200, dimse, (socket, n) => drip(socket, associate(`SLOW${n}`))),
  ],
} satisfies Record<string, (targets: Targets) => readonly Attack[]>

export type AttackName = keyof typeof ATTACKS
export const ATTACK_NAMES = Object.keys(ATTACKS) as readonly AttackName[]

/** Starts; resolves when it is in position. */
type Attack = (from: string) => Promise<unknown>

/** Not all at once, and not without end: attacker and victims may share two cores. */
const againMs = (n: number) => 2000 + (n % 20) * 250

/** So many connections at once; those that the gateway closes are opened again after a moment. */
function hold(
  count: number,
  port: number,
  begin: (socket: Socket, n: number) => void = () => {},
): Attack {
  return (localAddress) =>
    Promise.all(Array.from({ length: count }, (_, n) => keep(n, localAddress)))
  async function keep(n: number, localAddress: string): Promise<void> {
    const socket = connect({ host: '127.0.0.1', port, localAddress, allowHalfOpen: true })
    socket.on('error', () => {})
    socket.once('connect', () => begin(socket, n))
    socket.resume()
    const isOver = once(socket, 'close').catch(() => {})
    void isOver.then(() => wait(againMs(n))).then(() => keep(n, localAddress))
    await Promise.race([once(socket, 'connect').catch(() => {}), isOver, wait(5000)])
  }
}

/** So many callers that each ask again as soon as they are answered. */
function flood(
  count: number,
  port: number,
  ask: (port: number, from: string) => Promise<void>,
): Attack {
  return async (from) => {
    for (let n = 0; n < count; n++) {
      void (async () => {
        for (;;) {
          await ask(port, from).catch(() => {})
          await wait(20)
        }
      })()
    }
    await wait(200)
  }
}

async function signIn(port: number, localAddress: string): Promise<void> {
  // A known address, which is made to wait, and ones that nobody has.
  const name = Math.random() < 0.5 ? 'owner' : `person${Math.random()}`
  const body = JSON.stringify({
    email: `${name}@clinic.example`,
    password: `a guess ${Math.random()}`,
  })
  const head = [
    ...['POST /dashboard/session HTTP/1.1', 'host: 127.0.0.1', 'sec-fetch-site: same-origin'],
    ...['x-isthmus-csrf: 1', 'content-type: application/json'],
  ].join('\r\n')
  const text = `${head}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  await sendAll(port, localAddress, text)
}

/** Every other request has no key at all. */
async function guessKeys(port: number, localAddress: string): Promise<void> {
  const guess = (n: number) =>
    n % 2 ? `\r\nauthorization: Bearer sk_live_${randomBytes(16).toString('hex')}` : ''
  const requests = Array.from(
    { length: 15 },
    (_, n) => `GET /v1/express HTTP/1.1\r\nhost: 127.0.0.1${guess(n)}\r\n\r\n`,
  )
  await sendAll(
    port,
    localAddress,
    `${requests.join('')}GET /v1/express HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`,
  )
}

async function sendAll(port: number, localAddress: string, text: string): Promise<void> {
  const isTls = port === targets?.https
  const to = { host: '127.0.0.1', port, localAddress }
  const socket = isTls ? connectByTls({ ...to, rejectUnauthorized: false }) : connect(to)
  socket.on('error', () => {})
  socket.once(isTls ? 'secureConnect' : 'connect', () => socket.write(text))
  socket.resume()
  await once(socket, 'close')
}

function drip(socket: Socket, bytes: Buffer): void {
  let at = 0
  const timer = setInterval(() => {
    if (socket.destroyed || at >= bytes.length) return clearInterval(timer)
    socket.write(bytes.subarray(at, ++at))
  }, 1000)
}

const associate = (callingAeTitle: string) =>
  writePdu(associateRq({ callingAeTitle, contexts: [ECHO_CONTEXT] }))

const targets = process.argv[2] === undefined ? undefined : (JSON.parse(process.argv[2]) as Targets)
if (import.meta.main && targets) {
  const names = process.argv.slice(3) as AttackName[]
  await Promise.all(
    names.flatMap((name) => ATTACKS[name](targets)).map((attack) => attack(targets.from)),
  )
  console.log('in position')
  createInterface({ input: process.stdin }).on('close', () => process.exit(0))
}
