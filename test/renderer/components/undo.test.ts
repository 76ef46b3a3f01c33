import { describe, expect, it } from 'vitest'
import { forgetDone, showDone, undoLast } from '../../../renderer/src/components/undo.tsx'

describe('undoing', () => {
  it('undoes what was done last, once', () => {
    const undone: string[] = []
    showDone('First.', () => undone.push('first'))
    showDone('Second.', () => undone.push('second'))
    showDone('Nothing to undo here.')
    undoLast()
    undoLast()
    undoLast()
    expect(undone).toEqual(['second', 'first'])
  })

  it('undoes nothing of whom was here before: locking and signing out forget it', () => {
    const undone: string[] = []
    showDone('The study is cancelled.', () => undone.push('cancelled'))
    forgetDone()
    undoLast()
    expect(undone).toEqual([])
  })
})
