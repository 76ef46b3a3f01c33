import { echo } from '#server/dicom/scu/query.ts'
import { RequestorError } from '#server/dicom/scu/requestor.ts'
import type { Parts } from '#server/parts.ts'
import {
  firewallCommands,
  type Interfaces,
  isLoopback,
  lanAddresses,
} from '#server/platform/network-interfaces.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import type { LanAddress, SelfFinding } from '#shared/contract/dashboard-setup.ts'
import { AeTitle } from '#shared/dicom-values.ts'
import { bad, clockFinding, diskFinding, type Finding, ok, warn } from './host-checks.ts'

export interface SelfTestDeps {
  readonly parts: Parts
  readonly listeners: () => Status['listeners']
  /** Of this PC; the system's own where it is missing. */
  readonly interfaces?: () => Interfaces
  readonly platform?: NodeJS.Platform
  /** The program that listens, for firewalls that go by it. */
  readonly program?: string
}

type Listener = Status['listeners'][number]
type Check = (deps: SelfTestDeps, addresses: readonly LanAddress[]) => Found | Promise<Found>
type Found = Finding & { readonly commands?: readonly string[] }

/** A PC has few cards; what a program adds by the dozen is not called one by one. */
const MOST_CALLED = 6
const LIMITS = { connectSeconds: 4, associateSeconds: 4, responseSeconds: 4 }

/**
 * What keeps a device from reaching this gateway, as far as this PC can tell by itself; in the
 * order of a walk from here to the device.
 */
const CHECKS: readonly (readonly [SelfFinding['check'], Check])[] = [
  ['dicom', ({ listeners }) => listener(listeners(), 'dimse', 'The DICOM listener')],
  ['dicom-tls', ({ listeners }) => tls(listeners())],
  ['window', ({ parts }) => windowFinding(parts.settings.get('http.host'))],
  [
    'ae-title',
    ({ parts }) => {
      const aeTitle = parts.settings.get('dimse.aeTitle')
      return AeTitle.safeParse(aeTitle).success
        ? ok(`This gateway calls itself ${aeTitle}.`)
        : bad(
            `${aeTitle} is no AE title.`,
            'Choose one of up to 16 letters and digits under Settings.',
          )
    },
  ],
  [
    'addresses',
    ({ parts }, addresses) => addressFinding(parts.settings.get('dimse.host'), addresses),
  ],
  ['echo', echoOurselves],
  ['firewall', firewall],
  ['clock', ({ parts }) => clockFinding(parts)],
  ['disk', ({ parts }) => diskFinding(parts)],
]

/** Looks at the network of this PC as a device will meet it. It takes some seconds. */
export async function selfTest(
  deps: SelfTestDeps,
): Promise<{ findings: SelfFinding[]; addresses: LanAddress[] }> {
  const addresses = lanAddresses(deps.parts.settings.get('dimse.host'), deps.interfaces?.())
  const findings = await Promise.all(
    CHECKS.map(async ([check, look]): Promise<SelfFinding> => {
      const { commands = [], ...found } = await look(deps, addresses)
      return { check, ...found, commands: [...commands] }
    }),
  )
  return { findings, addresses }
}

function listener(listeners: readonly Listener[], name: Listener['name'], words: string): Finding {
  const found = listeners.find((one) => one.name === name)
  if (found?.isUp) return ok(`${words} is up at ${found.address}.`)
  return bad(
    found?.detail || `${words} is down.`,
    'Choose another port under Settings and start the gateway again.',
  )
}

function tls(listeners: readonly Listener[]): Finding {
  const found = listeners.find(({ name }) => name === 'dimse-tls')
  if (found)
    return found.isUp
      ? ok(`DICOM by TLS is up at ${found.address}.`)
      : bad(
          found.detail,
          'Choose another port for it under Settings (dimse.tlsPort) and start the gateway again.',
        )
  return warn(
    'DICOM by TLS is switched off: what devices send is not encrypted.',
    'Set its port under Settings (dimse.tlsPort), if your devices can do it.',
  )
}

export const windowFinding = (host: string): Finding =>
  isLoopback(host)
    ? ok(
        'The window answers on this PC only; other workstations come by HTTPS, where that is switched on.',
      )
    : warn(
        `The window answers by plain HTTP at ${host}: whoever is on that network can read it.`,
        'Set http.host to 127.0.0.1 under Settings, and open the window to workstations by HTTPS.',
      )

function addressFinding(host: string, addresses: readonly LanAddress[]): Finding {
  if (isLoopback(host))
    return bad(
      'The DICOM listener takes calls of this PC only.',
      'Set dimse.host to 0.0.0.0 under Settings and start the gateway again.',
    )
  const network = addresses.filter(({ kind }) => kind === 'network')
  const [first] = network
  if (first)
    return ok(
      network.length === 1
        ? `Devices reach this PC at ${first.address}. Have that address reserved for it (a fixed one, or a reservation in the router), so that it stays.`
        : `Devices reach this PC at ${network.map(({ address }) => address).join(' or ')}: give them the one of their own network, and have it reserved.`,
    )
  if (addresses.some(({ kind }) => kind === 'self-given'))
    return bad(
      'This PC got no address from the network, and gave itself one that no device will find.',
      'Check the network cable and the router, or set a fixed address.',
    )
  return addresses.length > 0
    ? warn(
        'This PC has addresses of programs on it only, such as a VPN.',
        'Connect it to the network that the devices are on.',
      )
    : bad(
        'This PC has no address on a network.',
        'Connect it to the network that the devices are on.',
      )
}

async function echoOurselves(
  { parts, listeners }: SelfTestDeps,
  addresses: readonly LanAddress[],
): Promise<Finding> {
  const found = listeners().find(({ name }) => name === 'dimse')
  if (!found?.isUp)
    return bad(
      'This gateway cannot call itself while its listener is down.',
      'Mend the listener first.',
    )
  const port = Number(found.address.slice(found.address.lastIndexOf(':') + 1))
  const host = parts.settings.get('dimse.host')
  const called = isLoopback(host)
    ? ['127.0.0.1']
    : addresses.slice(0, MOST_CALLED).map(({ address }) => address)
  if (called.length === 0)
    return warn(
      'There is no address to call this gateway at.',
      'Connect this PC to the network that the devices are on.',
    )
  const aeTitle = parts.settings.get('dimse.aeTitle')
  const results = await Promise.all(
    called.map(async (address) => {
      try {
        await echo({ host: address, port, aeTitle }, aeTitle, { limits: LIMITS })
        return undefined
      } catch (error) {
        if (error instanceof RequestorError) return `${address}: ${error.message}`
        throw error
      }
    }),
  )
  const failed = results.filter((one) => one !== undefined)
  if (failed.length === 0)
    return ok(`A DICOM echo (C-ECHO) to ${called.join(', ')} port ${port} is answered.`)
  return bad(
    `A DICOM echo (C-ECHO) of this PC to itself failed at ${failed.join('; ')}.`,
    'A security program on this PC may be in the way: let the port in.',
  )
}

/**
 * Nothing on this PC can tell what a firewall lets in from elsewhere, except that something came.
 */
function firewall({
  parts,
  listeners,
  platform = process.platform,
  program = process.execPath,
  interfaces,
}: SelfTestDeps): Found {
  const own = new Set(lanAddresses('0.0.0.0', interfaces?.()).map(({ address }) => address))
  const fromElsewhere = (address: string | null) =>
    address !== null && !isLoopback(address) && !own.has(address)
  const ports = listeners()
    .filter(({ name, isUp }) => isUp && name.startsWith('dimse'))
    .map(({ address }) => Number(address.slice(address.lastIndexOf(':') + 1)))
  const commands = firewallCommands(platform, ports, program)
  const came =
    parts.devices.list().some(({ lastAddress }) => fromElsewhere(lastAddress)) ||
    parts.devices.callers().some(({ address }) => fromElsewhere(address))
  if (came)
    return {
      ...ok(
        'A call from another machine has come through: the firewall of this PC lets devices in.',
      ),
      commands,
    }
  return {
    ...warn(
      'No call from another machine has come yet, so it is not known whether the firewall of this PC lets devices in.',
      'If a device’s echo does not arrive, an administrator of this PC runs what stands here.',
    ),
    commands,
  }
}
