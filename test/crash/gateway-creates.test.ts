import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { serving } from '../support/command-line.ts'
import { type Client, keyCall, newUid } from '../support/interface.ts'
import { tempFolder } from '../support/temp-store.ts'
import { perTier } from '../support/tier.ts'

// 201 is sent only after the durable write.

const CREATES = perTier(400, 10_000)
const CLIENTS = 16

interface Created {
  readonly studyId: string
  readonly studyInstanceUid: string
}

/** Creates studies without end until the gateway is gone; what it acknowledged. */
async function createAway(
  { send }: Client,
  acknowledged: Created[],
  enough: () => void,
): Promise<void> {
  for (;;) {
    const json = {
      studyInstanceUid: newUid(),
      studyDescription: 'CT Abdomen',
      severity: 'normal',
      reportMetadata: { mrn: newUid() },
    }
    const answer = await send('POST /v1/scribe/studies', { json }).catch(() => undefined)
    if (!answer) return
    // An answer cut off by the kill is none.
    if (answer.json === undefined) continue
    expect(answer.status).toBe(201)
    acknowledged.push(answer.json as Created)
    if (acknowledged.length >= CREATES / 2) enough()
  }
}

it(`has every study it acknowledged after SIGKILL in the middle of ${CREATES} creates`, {
  timeout: 60_000 + CREATES * 20,
}, async () => {
  using temp = tempFolder()
  const key = furnish(temp.folder)
  const acknowledged: Created[] = []
  {
    await using gateway = await serving(temp.folder)
    const client = keyCall(gateway.http, key)
    await Promise.all(
      Array.from({ length: CLIENTS }, () =>
        createAway(client, acknowledged, () => void gateway.child.kill('SIGKILL')),
      ),
    )
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(CREATES / 2)

  const beside = new Sqlite(join(temp.folder, DATABASE_FILE), { readonly: true })
  expect(beside.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(beside.pragma('foreign_key_check')).toEqual([])
  beside.close()

  await using gateway = await serving(temp.folder)
  const { call } = keyCall(gateway.http, key)
  const lost: string[] = []
  for (const { studyId, studyInstanceUid } of acknowledged) {
    const found = await call(scribe.byUid, { params: { studyInstanceUid } }).catch(() => undefined)
    if (found?.studyId !== studyId) lost.push(studyId)
  }
  expect(lost).toEqual([])
  const listed = new Set<string>()
  let cursor: string | undefined
  do {
    const page = await call(scribe.list, { query: { limit: 100, ...(cursor && { cursor }) } })
    for (const { studyId } of page.studies) listed.add(studyId)
    cursor = page.cursor
  } while (cursor !== undefined)
  expect(acknowledged.filter(({ studyId }) => !listed.has(studyId))).toEqual([])
})

function furnish(folder: string): string {
  using context = openContext({ folder })
  context.settings.change(
    { 'http.ratePerSecond': 100_000, 'http.rateBurst': 100_000 },
    'command-line',
  )
  return createApiKey(
    context,
    { description: 'RIS', isViewerEnabled: true, scope: 'all' },
    'command-line',
  ).key
}
