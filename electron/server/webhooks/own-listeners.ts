import { networkInterfaces } from 'node:os'
import { addressClass, plainAddress } from './address-class.ts'

/** Whether an IP address and a TCP port are one of the gateway's own listeners. */
export type IsOwnListener = (address: string, port: number) => boolean

/**
 * Nobody's answer makes the gateway call itself: every loopback address and every
 * address of this PC, at one of our ports. A name is judged by the addresses it resolves to.
 * @param ports as they are now
 */
export function ownListeners(
  ports: () => readonly number[],
  addresses: () => readonly string[] = () =>
    Object.values(networkInterfaces()).flatMap((entries) =>
      (entries ?? []).map((entry) => entry.address),
    ),
): IsOwnListener {
  return (address, port) => {
    // The network cards are asked only where the port is one of ours.
    if (!ports().includes(port)) return false
    if (addressClass(address).what === 'a loopback') return true
    const plain = plainAddress(address)
    return addresses().some((own) => plainAddress(own) === plain)
  }
}
