import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { Pdu } from '#server/dicom/upper-layer/pdu.ts'
import {
  ask,
  identifierOf,
  type Keys,
} from '../electron/server/modules/worklist/worklist-fixture.ts'
import { type GatewayProcess, spawnGateway } from '../support/gateway-process.ts'
import {
  associated,
  type Ended,
  type Proposal,
  type Requestor,
  WORKLIST_CONTEXT,
} from '../support/requestor.ts'
import { openWildPartner, type WildPartner } from '../support/wild-partner.ts'

export const ROWS = 5000
/** MiB by which a hostile case may make the gateway grow. */
export const MOST_GROWTH = 64
/**
 * MiB: an answer of the 20 that a partner may send is there as bytes, as text and as rows while it
 * is read, with what the network left behind.
 */
export const MOST_GROWTH_BY_PARTNER = 128
export const {
  explicitLittleEndian,
  implicitLittleEndian,
  explicitBigEndian,
  deflatedExplicitLittleEndian,
} = TRANSFER_SYNTAX

export let partner: WildPartner
export let gateway: GatewayProcess

/**
 * What the gateway may do meanwhile, in seconds of its own processor time: others on this machine
 * do not count.
 */
const MOST_ECHO_SECONDS = 5
/** Then the gateway does nothing at all. */
const HANGS_MS = 60_000

/** True where a C-ECHO on an association of its own works promptly. */
export async function echoes(): Promise<boolean> {
  const late = new AbortController()
  const before = gateway.cpuSeconds()
  const echo = async () => {
    await using requestor = await associated(gateway.dimsePort, { callingAeTitle: 'ECHO' })
    return (await requestor.echo()) === 0
  }
  try {
    const isAnswered = await Promise.race([echo(), sleep(HANGS_MS, false, { signal: late.signal })])
    return isAnswered && gateway.cpuSeconds() - before < MOST_ECHO_SECONDS
  } finally {
    late.abort()
  }
}

/**
 * Does something hostile: the gateway answers echoes beside it and after it, lives, and takes
 * little memory.
 */
export async function unharmed<T>(work: () => Promise<T>, mostGrowth = MOST_GROWTH): Promise<T> {
  const result = Promise.withResolvers<T>()
  let isOver = false
  const growth = await gateway.growthDuring(async () => {
    const beside = (async () => {
      while (!isOver) {
        if (!(await echoes())) return false
        await sleep(50)
      }
      return true
    })()
    try {
      result.resolve(await work())
    } finally {
      isOver = true
    }
    expect(await beside).toBe(true)
  })
  expect(growth).toBeLessThan(mostGrowth)
  expect(gateway.isAlive).toBe(true)
  expect(await echoes()).toBe(true)
  return result.promise
}

/** `0000 after 5000 rows: comment`. */
export async function answerTo(identifier: Buffer, proposal: Proposal = {}): Promise<string> {
  await using requestor = await associated(gateway.dimsePort, proposal)
  return await answerOn(requestor, identifier)
}

export async function answerOn(requestor: Requestor, identifier: Buffer): Promise<string> {
  const { identifiers, final } = await requestor.find(identifier)
  const status = (final.status ?? -1).toString(16).padStart(4, '0')
  return `${status} after ${identifiers.length}${final.errorComment === undefined ? '' : `: ${final.errorComment}`}`
}

export const inSyntax = (transferSyntax: string): Proposal => ({
  contexts: [{ ...WORKLIST_CONTEXT, transferSyntaxes: [transferSyntax] }],
})
export const named = (pdu: Pdu | Ended): string =>
  pdu.type === 'A-ABORT'
    ? `A-ABORT ${pdu.source}/${pdu.reason}`
    : pdu.type === 'A-ASSOCIATE-RJ'
      ? `A-ASSOCIATE-RJ ${pdu.result}/${pdu.source}/${pdu.reason}`
      : pdu.type

export const query = (keys: Keys = {}, step: Keys = {}): Buffer => identifierOf(ask(keys, step))

export async function open(
  settings: Parameters<typeof spawnGateway>[0]['settings'] = {},
): Promise<void> {
  partner = await openWildPartner()
  gateway = await spawnGateway({ partnerUrl: partner.url, settings })
}
export async function close(): Promise<void> {
  // Nothing of it was an error of the gateway's own, and it still ends as it should.
  expect(gateway.log.filter((line) => /"level":(50|60|"error"|"fatal")/.test(line))).toEqual([])
  expect(await gateway.stop()).toBe(0)
  await gateway[Symbol.asyncDispose]()
  await partner[Symbol.asyncDispose]()
}

export async function send(port: number, bytes: Buffer | string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}
