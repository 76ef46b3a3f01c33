import { randomBytes } from 'node:crypto'
import type { Context } from '#server/context.ts'
import type { TierTest } from '#shared/contract/tiers.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import { ContentDigest } from './content-digest.ts'
import type { ObjectEncryption, ObjectStore } from './object-store.ts'
import { storeFault } from './store-fault.ts'

const BUDGET_MS = 30_000
/** Stores refuse requests whose time differs by more than 15 minutes. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000

/** Lists the bucket, and writes, reads and deletes an object of 64 bytes. */
export async function testStore(
  { uuid }: Pick<Context, 'uuid'>,
  store: ObjectStore,
  encryption: ObjectEncryption,
): Promise<Message> {
  const signal = AbortSignal.timeout(BUDGET_MS)
  const key = store.keyOf(`isthmus-test-${uuid()}`)
  const content = randomBytes(64)
  await store.probe(signal)
  try {
    await store.write(key, content, signal)
    const [written, read] = [new ContentDigest(0), new ContentDigest(0)]
    written.update(content)
    await store.readInto(read, key, encryption, signal)
    if (!read.sha256().equals(written.sha256()))
      throw new MessageError(message('tiers.copy-differs'))
  } finally {
    await store.remove(key, signal)
  }
  const minutes = Math.round(store.clockDifferenceMs / 60_000)
  return Math.abs(store.clockDifferenceMs) > MAX_CLOCK_DIFFERENCE_MS
    ? message('tiers.test-clock', { minutes: Math.abs(minutes) })
    : message('tiers.test-passed')
}

/** Runs a test; its failure is its result. */
export async function runConnectionTest(
  { clock }: Pick<Context, 'clock'>,
  test: () => Promise<Message>,
): Promise<TierTest> {
  const startedAt = clock()
  const elapsedMs = () => Math.max(0, clock() - startedAt)
  try {
    return { success: true, message: await test(), tookMs: elapsedMs() }
  } catch (error) {
    const why = storeFault(error)
    return { success: false, message: message('tiers.test-failed', { why }), tookMs: elapsedMs() }
  }
}
