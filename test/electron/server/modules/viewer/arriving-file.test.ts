import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Recall } from '#server/database/recall.ts'
import { sendWhileArriving } from '#server/modules/viewer/arriving-file.ts'
import { PieceSender } from '#server/modules/viewer/open-files.ts'

const LENGTH = 1000
const CONTENT = Buffer.from(Array.from({ length: LENGTH }, (_, at) => at % 251))

/** A fetch whose progress is given by hand, with all bytes on the disk. */
function handledRecall() {
  const path = join(mkdtempSync(join(tmpdir(), 'isthmus-arriving-')), 'image')
  writeFileSync(path, CONTENT)
  const listeners = new Set<() => void>()
  const ended = Promise.withResolvers<void>()
  const recall = {
    ...{ path, bytes: 0, isVerified: false as boolean, done: ended.promise },
    onGrown(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  } satisfies Recall
  const change = (now: Partial<Pick<typeof recall, 'path' | 'bytes' | 'isVerified'>>) => {
    Object.assign(recall, now)
    for (const listener of listeners) listener()
  }
  return { recall, path, change, ended, listeners }
}

function started({ recall, path }: ReturnType<typeof handledRecall>, failAfter = LENGTH) {
  const sent: Buffer[] = []
  const sender = new PieceSender(async (piece) => {
    if (Buffer.concat(sent).length >= failAfter) throw new Error('The page has gone.')
    sent.push(Buffer.from(piece))
  })
  const span = { at: 100, length: 800 }
  const result = sendWhileArriving({ recall, path }, span, sender, new AbortController().signal)
  result.catch(() => undefined)
  return { result, sent: () => Buffer.concat(sent) }
}

it('sends what is here, and the last byte when the checksum has been verified', async () => {
  const fetch = handledRecall()
  const { result, sent } = started(fetch)
  fetch.change({ bytes: 50 })
  fetch.change({ bytes: 300 })
  await expect.poll(() => sent().length).toBe(200)
  fetch.change({ bytes: LENGTH })
  await expect.poll(() => sent().length).toBe(799)
  fetch.change({ isVerified: true })
  expect(await result).toBe(800)
  expect(sent().equals(CONTENT.subarray(100, 900))).toBe(true)
  expect(fetch.listeners.size).toBe(0)
})

it.each(['', '/another/file'])(
  'fails where another source follows the one that was sent (%s)',
  async (path) => {
    const fetch = handledRecall()
    const { result, sent } = started(fetch)
    fetch.change({ bytes: 500 })
    await expect.poll(() => sent().length).toBe(400)
    // A PACS has no bytes before its file is complete; another store has them.
    fetch.change({ path, bytes: 0 })
    fetch.ended.resolve()
    await expect(result).rejects.toMatchObject({ code: 'unavailable' })
    expect(sent()).toHaveLength(400)
  },
)

it('fails with the fetch, and sends nothing twice after a fault', async () => {
  const fetch = handledRecall()
  const { result, sent } = started(fetch)
  fetch.change({ bytes: 500 })
  await expect.poll(() => sent().length).toBe(400)
  fetch.ended.reject(new Error('All sources failed.'))
  await expect(result).rejects.toThrow('All sources failed.')

  const other = handledRecall()
  const gone = started(other, 100)
  other.change({ bytes: 300 })
  await expect.poll(() => gone.sent().length).toBe(200)
  other.change({ bytes: 600 })
  await expect(gone.result).rejects.toThrow('The page has gone.')
  expect(gone.sent()).toHaveLength(200)
})
