// node-floor.mjs PORT OF: what one event loop of Node can answer, without any work behind it. It
// passes the first association on to the floor at port OF, keeps what that answers, and replays it
// to everybody with their message ids; of a request it reads no more than that it is whole.
import { connect, createServer } from 'node:net'

const [port, of] = process.argv.slice(2).map(Number)
const PDU = { request: 1, data: 4, release: 5 }
const HEADER = 6
/** Last fragment of a data set (PS3.8 E.2). */
const LAST_OF_DATA = 2
/** (0000,0110) and (0000,0120), each two bytes long, in Implicit VR Little Endian. */
const MESSAGE_ID = Buffer.from([0x00, 0x00, 0x10, 0x01, 0x02, 0x00, 0x00, 0x00])
const RESPONDED_TO = Buffer.from([0x00, 0x00, 0x20, 0x01, 0x02, 0x00, 0x00, 0x00])
/** An answer is whole when nothing more of it comes for so long. */
const QUIET_MS = 200
let accepted
let answer
const idsAt = []

const server = createServer((socket) => {
  let held = Buffer.alloc(0)
  let request = []
  let asked = Promise.resolve()
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    while (held.length >= HEADER && held.length >= HEADER + held.readUInt32BE(2)) {
      const pdu = held.subarray(0, HEADER + held.readUInt32BE(2))
      held = held.subarray(pdu.length)
      if (pdu[0] === PDU.request) asked = open(socket, Buffer.from(pdu))
      else if (pdu[0] === PDU.release) socket.write(Buffer.from([6, 0, 0, 0, 0, 4, 0, 0, 0, 0]))
      else if (pdu[0] === PDU.data) {
        request.push(pdu)
        if (pdu[11] !== LAST_OF_DATA) continue
        const whole = request
        request = []
        if (answer) reply(socket, whole[0])
        else asked = asked.then(() => learn(whole)).then(() => reply(socket, whole[0]))
      }
    }
  })
})

function reply(socket, command) {
  const at = command.indexOf(MESSAGE_ID) + MESSAGE_ID.length
  const bytes = Buffer.from(answer)
  for (const idAt of idsAt) {
    bytes[idAt] = command[at]
    bytes[idAt + 1] = command[at + 1]
  }
  socket.write(bytes)
}

let floor
async function open(socket, request) {
  if (!accepted) {
    floor = connect(of, '127.0.0.1')
    floor.write(request)
    accepted = await quiet()
  }
  socket.write(accepted)
}

async function learn(request) {
  floor.write(Buffer.concat(request))
  answer = await quiet()
  for (let at = answer.indexOf(RESPONDED_TO); at >= 0; at = answer.indexOf(RESPONDED_TO, at + 1))
    idsAt.push(at + RESPONDED_TO.length)
  floor.destroy()
}

/** What the floor says until it is quiet. */
function quiet() {
  return new Promise((resolve) => {
    const chunks = []
    let timer
    const more = (chunk) => {
      chunks.push(chunk)
      clearTimeout(timer)
      timer = setTimeout(() => {
        floor.off('data', more)
        resolve(Buffer.concat(chunks))
      }, QUIET_MS)
    }
    floor.on('data', more)
  })
}

server.listen(port, '127.0.0.1', () => console.log(JSON.stringify({ ready: true })))
