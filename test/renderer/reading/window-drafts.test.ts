import { describe, expect, it } from 'vitest'
import { hasUnsaved, keepUnsaved, noteLeaving, unsavedText, whenLeft } from '../../../renderer/src/reading/window-drafts.ts'

const RUTH = 'usr_1'
const report = { reportId: 'rep_1', isAddendum: false }
const addendum = { reportId: 'rep_2', isAddendum: true }

describe('a text that could not be saved', () => {
  it('is there for whoever wrote it, in their study, until it is saved', () => {
    keepUnsaved({ userId: RUTH, studyId: 'stu_1', draft: null }, { text: 'Findings', revision: null })
    expect(unsavedText({ userId: RUTH, studyId: 'stu_1', draft: null })?.text).toBe('Findings')
    expect(unsavedText({ userId: 'usr_2', studyId: 'stu_1', draft: null })).toBeUndefined()
    expect(unsavedText({ userId: RUTH, studyId: 'stu_2', draft: null })).toBeUndefined()
    // Somebody else began the report meanwhile: the text is still there to choose.
    expect(unsavedText({ userId: RUTH, studyId: 'stu_1', draft: report })?.text).toBe('Findings')
    keepUnsaved({ userId: RUTH, studyId: 'stu_1', draft: report }, null)
    expect(unsavedText({ userId: RUTH, studyId: 'stu_1', draft: null })).toBeUndefined()
  })

  it('of an addendum that was given up does not come back in the next one', () => {
    keepUnsaved({ userId: RUTH, studyId: 'stu_1', draft: addendum }, { text: 'Given up', revision: 1 })
    expect(unsavedText({ userId: RUTH, studyId: 'stu_1', draft: { reportId: 'rep_3', isAddendum: true } })).toBeUndefined()
    expect(unsavedText({ userId: RUTH, studyId: 'stu_1', draft: null })).toBeUndefined()
  })
})

describe('leaving', () => {
  it('is over once the last saves are done, whether they worked or not', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let isLeft = false
    noteLeaving(promise)
    noteLeaving(Promise.reject(new Error('no answer')))
    const left = whenLeft().then(() => {
      isLeft = true
    })
    await Promise.resolve()
    expect(isLeft).toBe(false)
    resolve()
    await left
    expect(isLeft).toBe(true)
    await whenLeft()
  })

  it('knows whether anything was left unsaved', () => {
    const written = { userId: RUTH, studyId: 'stu_9', draft: null }
    keepUnsaved(written, { text: 'Findings', revision: null })
    expect(hasUnsaved()).toBe(true)
    keepUnsaved(written, null)
    keepUnsaved({ userId: RUTH, studyId: 'stu_1', draft: addendum }, null)
    expect(hasUnsaved()).toBe(false)
  })
})
