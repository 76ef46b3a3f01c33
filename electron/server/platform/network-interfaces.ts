import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import type { LanAddress } from '#shared/contract/dashboard-setup.ts'

export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

/** Virtual interfaces of containers, virtual machines and VPNs. */
const VIRTUAL_PATTERN =
  /^(docker|br-|veth|virbr|vmnet|vboxnet|vethernet|lxc|lxd|cni|flannel|tun|tap|utun|wg|zt|tailscale|ppp|awdl|llw|anpi|bridge)/i
// RFC 3927: the address a PC assigns itself if no DHCP server answers.
const LINK_LOCAL_PATTERN = /^169\.254\./
const KIND_ORDER: readonly LanAddress['kind'][] = ['network', 'virtual', 'self-given']

/**
 * IPv4 addresses of this PC to enter on devices, the most likely first; device consoles are
 * configured with IPv4 addresses. A listener bound to one address has only that one.
 */
export function lanAddresses(
  boundTo: string,
  interfaces: Interfaces = networkInterfaces(),
): LanAddress[] {
  const all = Object.entries(interfaces).flatMap(([card, infos = []]) =>
    infos
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }): LanAddress => ({ address, card, kind: kindOf(card, address) })),
  )
  const reached = isWildcardAddress(boundTo)
    ? all
    : all.filter(({ address }) => address === boundTo)
  return reached.sort((a, b) => KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind))
}

const kindOf = (card: string, address: string): LanAddress['kind'] =>
  LINK_LOCAL_PATTERN.test(address)
    ? 'self-given'
    : VIRTUAL_PATTERN.test(card)
      ? 'virtual'
      : 'network'

export const isWildcardAddress = (host: string): boolean => host === '0.0.0.0' || host === '::'
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.')

/** The commands with which an administrator lets devices through this PC's firewall. */
export function firewallCommands(
  platform: NodeJS.Platform,
  ports: readonly number[],
  program: string,
): string[] {
  const list = ports.join(',')
  switch (platform) {
    case 'win32':
      return [
        `New-NetFirewallRule -DisplayName "Isthmus DICOM" -Direction Inbound -Action Allow -Protocol TCP -LocalPort ${list} -Profile Domain,Private -Program "${program}"`,
      ]
    case 'darwin':
      return [
        `sudo /usr/libexec/ApplicationFirewall/socketfilterfw --add "${program}"`,
        `sudo /usr/libexec/ApplicationFirewall/socketfilterfw --unblockapp "${program}"`,
      ]
    default:
      return [
        `sudo ufw allow proto tcp to any port ${list} comment 'Isthmus DICOM'`,
        ...ports.map((port) => `sudo firewall-cmd --permanent --add-port=${port}/tcp`),
        'sudo firewall-cmd --reload',
      ]
  }
}

/** Whether a connection comes from this PC itself, such as the gateway's own self-test. */
export const isFromThisPc = (
  address: string,
  interfaces: Interfaces = networkInterfaces(),
): boolean =>
  isLoopback(address) ||
  Object.values(interfaces).some((infos) => infos?.some((info) => info.address === address))
