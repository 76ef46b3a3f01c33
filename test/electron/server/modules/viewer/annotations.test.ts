import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as annotations from '#server/modules/viewer/annotations.ts'
import { MAX_ANNOTATION_CHARACTERS } from '#shared/contract/viewing.ts'
import type { ApiError } from '#shared/errors.ts'
import { bound } from '../../../../support/bound.ts'
import { refusal } from '../../../../support/refusal.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const UID = '1.2.3'
const [MINE, MINE_TOO] = [
  { viewId: 'v1', userId: 'usr_1' },
  { viewId: 'v2', userId: 'usr_1' },
]
const NOBODYS = { viewId: 'v3', userId: null }
const LENGTH = { tool: 'Length', points: [1, 2.5, -3], label: 'Knoten Frau Meier' }

function stage() {
  const temp = tempStore('2026-11-20T09:00:00.000Z')
  return {
    ...temp,
    annotations: bound(annotations, temp.store),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

function refusalOf(work: () => unknown): ApiError {
  const refused = refusal(work)
  if (!refused) throw new Error('It was not refused')
  return refused
}

describe('annotations', () => {
  it('are those of the person, in whichever view', () => {
    using on = stage()
    expect(on.annotations.readAnnotations(MINE, UID)).toEqual({ revision: 0, annotations: [] })
    expect(
      on.annotations.saveAnnotations(MINE, UID, { revision: 0, annotations: [LENGTH] }),
    ).toEqual({
      revision: 1,
    })
    expect(on.annotations.readAnnotations(MINE_TOO, UID)).toEqual({
      revision: 1,
      annotations: [LENGTH],
    })
    expect(on.annotations.saveAnnotations(MINE_TOO, UID, { revision: 1, annotations: [] })).toEqual(
      {
        revision: 2,
      },
    )
    expect(on.annotations.readAnnotations(MINE, UID)).toEqual({ revision: 2, annotations: [] })
  })

  it('are nobody else’s, and of no other study', () => {
    using on = stage()
    on.annotations.saveAnnotations(MINE, UID, { revision: 0, annotations: [LENGTH] })
    for (const view of [NOBODYS, { viewId: 'v1', userId: null }, { viewId: 'v1', userId: 'usr_2' }])
      expect(on.annotations.readAnnotations(view, UID)).toEqual({ revision: 0, annotations: [] })
    expect(on.annotations.readAnnotations(MINE, '1.2.4')).toEqual({ revision: 0, annotations: [] })
  })

  it('of a view that nobody is named for are of that view alone', () => {
    using on = stage()
    on.annotations.saveAnnotations(NOBODYS, UID, { revision: 0, annotations: [LENGTH] })
    expect(on.annotations.readAnnotations(NOBODYS, UID).annotations).toEqual([LENGTH])
    expect(on.annotations.readAnnotations({ viewId: 'v4', userId: null }, UID).annotations).toEqual(
      [],
    )
  })

  it('are not written over what another window has saved since', () => {
    using on = stage()
    on.annotations.saveAnnotations(MINE, UID, { revision: 0, annotations: [LENGTH] })
    const refusal = refusalOf(() =>
      on.annotations.saveAnnotations(MINE_TOO, UID, { revision: 0, annotations: [] }),
    )
    expect([refusal.code, refusal.message]).toEqual([
      'refused',
      'These annotations were saved in another window in the meantime: revision 1 is stored, and yours are based on revision 0.',
    ])
    expect(refusal.errors).toEqual([
      {
        path: 'body.revision',
        message: 'must be 1, not 0: read the stored revision, then save again',
      },
    ])
    expect(
      refusalOf(() => on.annotations.saveAnnotations(MINE, UID, { revision: 2, annotations: [] }))
        .code,
    ).toBe('refused')
    expect(on.annotations.readAnnotations(MINE, UID)).toEqual({
      revision: 1,
      annotations: [LENGTH],
    })
  })

  it('are as long as a million characters of JSON and no longer', () => {
    using on = stage()
    const long = (characters: number) => ['x'.repeat(characters - '[""]'.length)]
    const refusal = refusalOf(() =>
      on.annotations.saveAnnotations(MINE, UID, {
        revision: 0,
        annotations: long(MAX_ANNOTATION_CHARACTERS + 1),
      }),
    )
    expect([refusal.code, ...refusal.errors.map(({ path }) => path)]).toEqual([
      'malformed',
      'body.annotations',
    ])
    expect(
      on.annotations.saveAnnotations(MINE, UID, {
        revision: 0,
        annotations: long(MAX_ANNOTATION_CHARACTERS),
      }),
    ).toEqual({ revision: 1 })
  })

  it('are not in the files of the store as they were drawn', () => {
    using on = stage()
    on.annotations.saveAnnotations(MINE, UID, { revision: 0, annotations: [LENGTH] })
    const files = () => readdirSync(on.folder).map((name) => readFileSync(join(on.folder, name)))
    const holds = (text: string) => files().some((bytes) => bytes.includes(text))
    expect([holds('Frau Meier'), holds('"tool":')]).toEqual([false, false])
    // What may be read is there: the scan does look at the bytes.
    expect(holds('usr_1')).toBe(true)
    on.store[Symbol.dispose]()
    expect([holds('Frau Meier'), holds('"tool":')]).toEqual([false, false])
  })
})
