import type { Context } from '#server/context.ts'
import { echo } from '#server/dicom/scu/query.ts'
import { RequestorError } from '#server/dicom/scu/requestor.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { listUnknownCallers } from '#server/modules/devices/unknown-caller-queries.ts'
import { bad, type Finding, ok, warn } from '#server/platform/finding.ts'
import {
  firewallCommands,
  type Interfaces,
  isLoopback,
  lanAddresses,
} from '#server/platform/network-interfaces.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import type { LanAddress, SelfFinding } from '#shared/contract/dashboard-setup.ts'
import { AeTitle } from '#shared/dicom-values.ts'
import { message } from '#shared/messages/message.ts'
import { explanationOf } from '#shared/messages/message-error.ts'
import { clockFinding, diskFinding } from './host-checks.ts'

type Listeners = Status['listeners']
type SelfTestFinding = Finding & { readonly commands?: readonly string[] }

/**
 * Maximum number of addresses that are tested. A PC has few network interfaces, but virtualization
 * software may add dozens.
 */
const MAX_ADDRESSES_TESTED = 6
const LIMITS = { connectSeconds: 4, associateSeconds: 4, responseSeconds: 4 }

/**
 * Checks what may prevent a device from reaching this gateway, as far as that can be determined on
 * this PC. Takes a few seconds.
 * @param interfaces of this PC
 */
export async function selfTest(
  context: Context,
  listeners: Listeners,
  interfaces?: Interfaces,
): Promise<{ findings: SelfFinding[]; addresses: LanAddress[] }> {
  const host = context.settings.get('dimse.host')
  const addresses = lanAddresses(host, interfaces)
  const found: Record<SelfFinding['check'], SelfTestFinding> = {
    dicom: listenerFinding(listeners, 'dimse'),
    'dicom-tls': tlsFinding(listeners),
    window: windowFinding(context.settings.get('http.host')),
    'ae-title': titleFinding(context.settings.get('dimse.aeTitle')),
    addresses: addressFinding(host, addresses),
    echo: await echoSelf(context, listeners, addresses),
    firewall: firewallFinding(context, listeners, interfaces),
    clock: clockFinding(context),
    disk: diskFinding(context),
  }
  const findings = Object.entries(found).map(([check, { commands = [], ...finding }]) => ({
    check: check as SelfFinding['check'],
    ...finding,
    commands: [...commands],
  }))
  return { findings, addresses }
}

const titleFinding = (aeTitle: string): Finding =>
  AeTitle.safeParse(aeTitle).success
    ? ok(message('diagnostics.own-title', { aeTitle }))
    : bad(message('diagnostics.no-title', { aeTitle }), message('diagnostics.no-title-remedy'))

function listenerFinding(listeners: Listeners, which: Listeners[number]['name']): Finding {
  const found = listeners.find((one) => one.name === which)
  const name = message('diagnostics.dicom-listener')
  if (found?.isUp) return ok(message('diagnostics.listener-up', { name, address: found.address }))
  return bad(
    found?.detail || message('diagnostics.listener-down', { name }),
    message('diagnostics.listener-down-remedy'),
  )
}

function tlsFinding(listeners: Listeners): Finding {
  const found = listeners.find(({ name }) => name === 'dimse-tls')
  if (found)
    return found.isUp
      ? ok(message('diagnostics.tls-up', { address: found.address }))
      : bad(
          found.detail ?? message('diagnostics.tls-listener-down'),
          message('diagnostics.tls-listener-down-remedy'),
        )
  return warn(message('diagnostics.tls-off'), message('diagnostics.tls-port-remedy'))
}

export const windowFinding = (host: string): Finding =>
  isLoopback(host)
    ? ok(message('diagnostics.window-here'))
    : warn(
        message('diagnostics.window-plain', { host }),
        message('diagnostics.window-plain-remedy'),
      )

function addressFinding(host: string, addresses: readonly LanAddress[]): Finding {
  if (isLoopback(host))
    return bad(message('diagnostics.listener-local'), message('diagnostics.listener-local-remedy'))
  const network = addresses.filter(({ kind }) => kind === 'network')
  const [first] = network
  if (first)
    return ok(
      network.length === 1
        ? message('diagnostics.address', { address: first.address })
        : message('diagnostics.addresses', { addresses: network.map(({ address }) => address) }),
    )
  if (addresses.some(({ kind }) => kind === 'self-given'))
    return bad(
      message('diagnostics.address-self-given'),
      message('diagnostics.address-self-given-remedy'),
    )
  return addresses.length > 0
    ? warn(message('diagnostics.address-virtual'), message('diagnostics.connect-network'))
    : bad(message('diagnostics.no-address'), message('diagnostics.connect-network'))
}

async function echoSelf(
  context: Context,
  listeners: Listeners,
  addresses: readonly LanAddress[],
): Promise<Finding> {
  const found = listeners.find(({ name }) => name === 'dimse')
  if (!found?.isUp)
    return bad(
      message('diagnostics.echo-without-listener'),
      message('diagnostics.echo-without-listener-remedy'),
    )
  const port = Number(found.address.slice(found.address.lastIndexOf(':') + 1))
  const host = context.settings.get('dimse.host')
  const testedHosts = isLoopback(host)
    ? ['127.0.0.1']
    : addresses.slice(0, MAX_ADDRESSES_TESTED).map(({ address }) => address)
  if (testedHosts.length === 0)
    return warn(
      message('diagnostics.echo-without-address'),
      message('diagnostics.connect-pc-network'),
    )
  const aeTitle = context.settings.get('dimse.aeTitle')
  const results = await Promise.all(
    testedHosts.map(async (address) => {
      try {
        const peer = { host: address, port, aeTitle }
        await echo({ peer, callingAeTitle: aeTitle, limits: LIMITS })
        return undefined
      } catch (error) {
        if (error instanceof RequestorError)
          return message('diagnostics.echo-fault', { address, fault: explanationOf(error) })
        throw error
      }
    }),
  )
  const failed = results.filter((one) => one !== undefined)
  if (failed.length === 0)
    return ok(message('diagnostics.echo-answered', { addresses: testedHosts, port }))
  return bad(
    message('diagnostics.echo-failed', { faults: failed }),
    message('diagnostics.echo-failed-remedy'),
  )
}

/**
 * Whether a firewall admits connections cannot be determined from this PC, except by the fact that
 * a connection from another host has arrived.
 */
function firewallFinding(
  context: Context,
  listeners: Listeners,
  interfaces?: Interfaces,
): SelfTestFinding {
  const ownAddresses = new Set(lanAddresses('0.0.0.0', interfaces).map(({ address }) => address))
  const isFromElsewhere = (address: string | null) =>
    address !== null && !isLoopback(address) && !ownAddresses.has(address)
  const ports = listeners
    .filter(({ name, isUp }) => isUp && name.startsWith('dimse'))
    .map(({ address }) => Number(address.slice(address.lastIndexOf(':') + 1)))
  const commands = firewallCommands(process.platform, ports, process.execPath)
  const hasExternalCall =
    listDevices(context.database).some(({ lastAddress }) => isFromElsewhere(lastAddress)) ||
    listUnknownCallers(context.database).some(({ address }) => isFromElsewhere(address))
  if (hasExternalCall)
    return {
      ...ok(message('diagnostics.firewall-open')),
      commands,
    }
  return {
    ...warn(message('diagnostics.firewall-unknown'), message('diagnostics.firewall-remedy')),
    commands,
  }
}
