import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import { expect, it } from 'vitest'
import { limitConnections } from '#server/http/connections.ts'
import { AdmittedConnections } from '#server/platform/connection-budget.ts'

const PEER = { remoteAddress: '10.0.3.7', remotePort: 49_152 }
const OWN = { localAddress: '10.0.0.1', localPort: 443 }

/**
 * A server that accepts what the test says, and connections of which it knows which were destroyed.
 */
function openServer() {
  const server = new EventEmitter()
  const admitted = new AdmittedConnections(() => true, 8)
  const connections = limitConnections(server as Server, admitted, undefined)
  return {
    ...connections,
    accept(addresses: object) {
      const socket = Object.assign(new EventEmitter(), addresses, { isDestroyed: false })
      Object.assign(socket, { destroy: () => Object.assign(socket, { isDestroyed: true }) })
      server.emit('connection', socket)
      return socket
    },
  }
}

it('keeps connections apart that one port of a peer has to several of our addresses', () => {
  const server = openServer()
  const first = server.accept({ ...PEER, ...OWN })
  const second = server.accept({ ...PEER, ...OWN, localAddress: '10.0.0.2' })
  server.destroyAll()
  expect([first.isDestroyed, second.isDestroyed]).toEqual([true, true])
})

it('keeps a connection whose port was used by one that reports its end later', () => {
  const server = openServer()
  const before = server.accept({ ...PEER, ...OWN })
  const now = server.accept({ ...PEER, ...OWN })
  before.emit('close')
  server.destroySilent()
  expect([before.isDestroyed, now.isDestroyed]).toEqual([false, true])
})
