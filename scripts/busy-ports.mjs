import { createServer } from 'node:net'
import { parseArgs } from 'node:util'

/** Where the demo listens unless options say otherwise. */
export const DEMO_PORTS = { http: '127.0.0.1:8042', dimse: '127.0.0.1:11112', 'dimse-tls': '2762' }

/**
 * The ports of the demo that other programs use, all at once, each as the option that chooses it:
 * `--http 127.0.0.1:8042`. Ports that the operating system chooses (0) are not tried.
 * @param {readonly string[]} args options after `npm run demo --`
 * @returns {Promise<string[]>}
 */
export async function busyPorts(args) {
  const options = Object.fromEntries(
    Object.keys(DEMO_PORTS).map((name) => [name, { type: 'string' }]),
  )
  const { values } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true })
  const places = { ...DEMO_PORTS, ...values }
  // The TLS listener uses the address of the plain one.
  const dimseHost = String(places.dimse).replace(/:\d*$/, '')
  const busy = []
  for (const name of Object.keys(DEMO_PORTS)) {
    const place = String(places[name])
    const host = name === 'dimse-tls' ? dimseHost : place.replace(/:\d*$/, '')
    const port = Number(place.slice(place.lastIndexOf(':') + 1))
    if (port > 0 && (await isBusy(host.replace(/^\[|\]$/g, ''), port)))
      busy.push(`--${name} ${place}`)
  }
  return busy
}

/** @returns {Promise<boolean>} */
const isBusy = (host, port) =>
  new Promise((resolve) => {
    const server = createServer()
    // Other failures, such as an unknown address, are explained by the gateway.
    server.on('error', (error) => resolve(error.code === 'EADDRINUSE'))
    server.listen(port, host, () => server.close(() => resolve(false)))
  })
