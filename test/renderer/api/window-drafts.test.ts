import { afterEach, describe, expect, it } from 'vitest'
import type { Draft, SaveOutcome } from '#shared/contract/reports.ts'
import { openDraftKeeper, type SaveFault } from '../../../renderer/src/api/draft-keeper.ts'
import {
  discardDraft,
  findKeptDraft,
  hasUnsavedDrafts,
  keepOnlyDraftsOf,
  saveDrafts,
  showDraft,
  unsavedDrafts,
  whenDraftsReleased,
} from '../../../renderer/src/api/window-drafts.ts'

const RUTH = 'usr_1'
const report = { userId: RUTH, studyId: 'stu_1', draft: null }
const addendum = { userId: RUTH, studyId: 'stu_1', draft: { reportId: 'rep_2', isAddendum: true } }

/** A gateway that carries out every call while `fault` is null. */
function keeperOf() {
  const gateway = { fault: null as SaveFault | null, text: '', revision: 0, calls: [] as string[] }
  const refuse = () => {
    if (gateway.fault) throw gateway.fault
  }
  const draft = () =>
    ({
      reportId: 'rep_1',
      isAddendum: false,
      revision: gateway.revision,
      text: gateway.text,
      savedAt: '',
      savedBy: {},
    }) as unknown as Draft
  const keeper = openDraftKeeper(null, {
    now: () => 0,
    after: () => () => {},
    calls: {
      async begin({ text }) {
        gateway.calls.push('begin')
        refuse()
        if (gateway.revision === 0) Object.assign(gateway, { text, revision: 1 })
        return draft()
      },
      async save({ text, revision }): Promise<SaveOutcome> {
        gateway.calls.push('save')
        refuse()
        Object.assign(gateway, { text, revision: revision + 1 })
        return { outcome: 'saved', revision: revision + 1, savedAt: '' }
      },
      async release() {
        gateway.calls.push('release')
      },
      faultOf: (error) => error as SaveFault,
    },
  })
  return { gateway, keeper }
}
const SIGNED_OUT: SaveFault = { kind: 'signed-out', sentence: 'Nobody is signed in.' }

afterEach(() => void keepOnlyDraftsOf('nobody'))

describe('a draft whose screen is left', () => {
  it('is saved, lets go of the report, and leaves memory', async () => {
    const { gateway, keeper } = keeperOf()
    const leave = showDraft(report, keeper)
    keeper.edit('Findings')
    expect([hasUnsavedDrafts(), findKeptDraft(report)]).toEqual([true, keeper])
    leave()
    await whenDraftsReleased()
    expect([gateway.text, gateway.calls.at(-1)]).toEqual(['Findings', 'release'])
    expect([hasUnsavedDrafts(), findKeptDraft(report), unsavedDrafts()]).toEqual([
      false,
      undefined,
      [],
    ])
  })

  it('that could not be saved is in sight, and is the same one when the study is opened again', async () => {
    const { gateway, keeper } = keeperOf()
    gateway.fault = { kind: 'refused', sentence: 'Tom Berg is writing.' }
    const leave = showDraft(report, keeper)
    keeper.edit('Findings')
    leave()
    await whenDraftsReleased()
    expect(unsavedDrafts()).toEqual([{ studyId: 'stu_1', keeper }])
    expect(findKeptDraft(report)).toBe(keeper)
    expect(findKeptDraft({ ...report, userId: 'usr_2' })).toBeUndefined()
    showDraft(report, keeper)
    expect(unsavedDrafts()).toEqual([])
    gateway.fault = null
    expect(await saveDrafts()).toBe(true)
    expect(gateway.text).toBe('Findings')
  })

  it('of an addendum that was given up does not come back in the next one', async () => {
    const { gateway, keeper } = keeperOf()
    gateway.fault = { kind: 'refused', sentence: 'The addendum was cancelled.' }
    const leave = showDraft(addendum, keeper)
    keeper.edit('Cancelled')
    leave()
    await whenDraftsReleased()
    expect(
      findKeptDraft({ ...addendum, draft: { reportId: 'rep_3', isAddendum: true } }),
    ).toBeUndefined()
    expect(findKeptDraft(report)).toBeUndefined()
    discardDraft(keeper)
    expect([hasUnsavedDrafts(), unsavedDrafts()]).toEqual([false, []])
  })

  it('that is shown twice, as React does it, is neither released nor dropped', async () => {
    const { gateway, keeper } = keeperOf()
    showDraft(report, keeper)()
    showDraft(report, keeper)
    await whenDraftsReleased()
    expect([findKeptDraft(report), gateway.calls]).toEqual([keeper, []])
  })
})

describe('after the end of a session', () => {
  async function unsaved() {
    const { gateway, keeper } = keeperOf()
    gateway.fault = SIGNED_OUT
    const leave = showDraft(report, keeper)
    keeper.edit('Findings')
    leave()
    await whenDraftsReleased()
    gateway.fault = null
    return { gateway, keeper }
  }

  it('what was written is saved once the same person is back', async () => {
    const { gateway, keeper } = await unsaved()
    expect(keepOnlyDraftsOf(RUTH)).toBe(false)
    await keeper.flush()
    expect([gateway.text, hasUnsavedDrafts()]).toEqual(['Findings', false])
  })

  it('and is in memory no more once somebody else is there, who learns that something was discarded', async () => {
    const { gateway, keeper } = await unsaved()
    expect(keepOnlyDraftsOf('usr_2')).toBe(true)
    expect([hasUnsavedDrafts(), findKeptDraft(report), unsavedDrafts()]).toEqual([
      false,
      undefined,
      [],
    ])
    expect(JSON.stringify(keeper.current())).not.toContain('Findings')
    expect(await keeper.flush()).toBe(false)
    expect(gateway.text).toBe('')
    expect(keepOnlyDraftsOf('usr_2')).toBe(false)
  })
})
