import { describe, expect, it } from 'vitest'
import { drawingOf } from '../../../renderer/src/viewer/drawing.ts'
import {
  type DrawingsKeeperOptions,
  openDrawingsKeeper,
} from '../../../renderer/src/viewer/drawings-keeper.ts'
import { merged } from '../../../renderer/src/viewer/drawings-merge.ts'
import {
  drawingOfKeyImage,
  isKeyImage,
  keyImageOfDrawing,
} from '../../../renderer/src/viewer/saved-to-study.ts'
import type { SavedDrawing, SavedDrawings } from '../../../shared/contract/saved-drawings.ts'

const one = (id: string, at = 0) => ({ id, at })
const STUDY = '1.2.3'

describe('drawings of two windows', () => {
  it('are put together', () => {
    expect(merged([one('a')], [one('a'), one('b')], [one('a'), one('c')])).toEqual([
      one('a'),
      one('b'),
      one('c'),
    ])
  })

  it('stay removed where one of them was removed, unless it was changed elsewhere', () => {
    expect(merged([one('a')], [], [one('a')])).toEqual([])
    expect(merged([one('a')], [one('a')], [])).toEqual([])
    expect(merged([one('a')], [], [one('a', 5)])).toEqual([one('a', 5)])
    expect(merged([one('a')], [one('a', 5)], [])).toEqual([one('a', 5)])
  })

  it('are as the one has them that changed them; where both did, as they are here', () => {
    expect(merged([one('a')], [one('a')], [one('a', 5)])).toEqual([one('a', 5)])
    expect(merged([one('a')], [one('a', 3)], [one('a', 5)])).toEqual([one('a', 3)])
  })

  it('are told apart by what they are where they have no id', () => {
    expect(merged<unknown>([{ x: 1 }], [{ x: 1 }, { x: 2 }], [{ x: 1 }, { x: 3 }])).toEqual([
      { x: 1 },
      { x: 2 },
      { x: 3 },
    ])
  })
})

/** A label at a place, as it is kept and as it is saved. */
const label = (id: string, x: number) => ({ id, tool: 'Label', sopInstanceUid: '1.2.3.4', x })
const savedLabel = (uid: string, x: number): SavedDrawing => ({
  ...{ uid, kind: 'text', sopInstanceUid: '1.2.3.4', frame: 1, points: [[x, 0]], text: '' },
  ...{ title: null, values: [] },
})
const FORMS: DrawingsKeeperOptions['forms'] = {
  uidOf: (kept) => (kept as { id: string }).id,
  toSaved: (kept) => {
    if (isKeyImage(kept)) return drawingOfKeyImage(kept)
    const { id, x } = kept as { id: string; x?: number }
    return x === undefined ? undefined : savedLabel(id, x)
  },
  toKept: (saved, study) =>
    saved.kind === 'keyImage'
      ? keyImageOfDrawing(saved, study)
      : label(saved.uid, saved.points[0]?.[0] ?? 0),
}

/** An engine and a gateway in memory. `tick` lets the waiting time pass. */
function desk(
  stored: readonly unknown[] = [],
  unreadable: ReadonlySet<unknown> = new Set(),
  { saved = [], mayRemove = true }: { saved?: readonly SavedDrawing[]; mayRemove?: boolean } = {},
) {
  let study: SavedDrawings = {
    ...{ version: saved.length > 0 ? 1 : 0, savedAt: null, savedBy: '', drawings: [...saved] },
  }
  const gateway = { revision: stored.length > 0 ? 1 : 0, annotations: stored }
  const saves: unknown[][] = []
  const timers: (() => void)[] = []
  let drawn: readonly unknown[] = []
  let refusal: Error | undefined
  const world: DrawingsKeeperOptions = {
    drawn: () => drawn,
    restore: (_study, drawings) => {
      drawn = drawings.filter((drawing) => !unreadable.has(drawing))
    },
    read: () => Promise.resolve({ ...gateway }),
    readStudy: () => Promise.resolve(study),
    saveToStudy: (_study, changes) => {
      if (refusal) return Promise.reject(refusal)
      const others = study.drawings.filter(
        ({ uid }) =>
          !changes.removed.includes(uid) && !changes.drawings.some((one) => one.uid === uid),
      )
      study = { ...study, version: study.version + 1, drawings: [...others, ...changes.drawings] }
      return Promise.resolve(study)
    },
    forms: FORMS,
    mayRemoveSaved: mayRemove,
    save(_study, { revision, annotations }) {
      if (refusal) return Promise.reject(refusal)
      if (revision !== gateway.revision) return Promise.reject(new Error('conflict'))
      saves.push([...annotations])
      Object.assign(gateway, { revision: revision + 1, annotations })
      return Promise.resolve(gateway.revision)
    },
    faultOf: (error) => {
      const sentence = (error as Error).message
      return {
        kind:
          sentence === 'conflict' ? 'conflict' : sentence === 'No answer.' ? 'again' : 'refused',
        sentence,
      }
    },
    after(_milliseconds, run) {
      timers.push(run)
      return () => {
        timers.splice(timers.indexOf(run), 1)
      }
    },
  }
  const settle = () => new Promise((done) => setImmediate(done))
  return {
    keeper: openDrawingsKeeper(world),
    gateway,
    study: () => study,
    saveElsewhere(drawings: readonly SavedDrawing[]) {
      study = { ...study, version: study.version + 1, drawings: [...drawings] }
    },
    saves,
    settle,
    draw(...drawings: readonly unknown[]) {
      drawn = drawings
    },
    drawnNow: () => drawn,
    refuse(error: Error | undefined) {
      refusal = error
    },
    async tick() {
      for (const run of timers.splice(0)) run()
      await settle()
    },
  }
}

describe('what is drawn', () => {
  it('is read at first, and saved a while after somebody drew', async () => {
    const { keeper, saves, settle, draw, drawnNow, tick } = desk([one('a')])
    keeper.open(STUDY)
    keeper.open(STUDY)
    await settle()
    expect(drawnNow()).toEqual([one('a')])
    expect(keeper.state().studies.get(STUDY)).toMatchObject({
      state: 'saved',
      drawings: [one('a')],
    })
    expect(saves).toEqual([])
    draw(one('a'), one('b'))
    keeper.changed(STUDY)
    expect(keeper.state().studies.get(STUDY)?.state).toBe('waiting')
    await tick()
    expect(saves).toEqual([[one('a'), one('b')]])
    expect(keeper.state().studies.get(STUDY)?.state).toBe('saved')
  })

  it('is not saved again where only the engine has measured it anew', async () => {
    const kept = {
      id: 'a',
      data: {
        handles: { points: [[1, 2, 3]], activeHandleIndex: null, textBox: { hasMoved: false } },
      },
    }
    const { keeper, saves, settle, draw, tick } = desk([kept])
    keeper.open(STUDY)
    await settle()
    const handles = {
      textBox: { hasMoved: false, worldPosition: [4, 5, 6] },
      activeHandleIndex: 1,
      points: [[1, 2, 3]],
    }
    draw({ data: { handles }, id: 'a' })
    keeper.changed(STUDY)
    await tick()
    expect(saves).toEqual([])
    expect(keeper.state().studies.get(STUDY)?.state).toBe('saved')
    draw({
      id: 'a',
      data: { handles: { ...handles, textBox: { hasMoved: true, worldPosition: [9, 9, 9] } } },
    })
    keeper.changed(STUDY)
    await tick()
    expect(saves).toHaveLength(1)
  })

  it('is put together with what another window has saved since', async () => {
    const { keeper, gateway, settle, draw, drawnNow, tick } = desk([one('a')])
    keeper.open(STUDY)
    await settle()
    Object.assign(gateway, { revision: 7, annotations: [one('a'), one('theirs')] })
    draw(one('a'), one('mine'))
    keeper.changed(STUDY)
    await tick()
    expect(gateway.annotations).toEqual([one('a'), one('mine'), one('theirs')])
    expect(drawnNow()).toEqual(gateway.annotations)
    expect(keeper.state().merges).toBe(1)
  })

  it('never loses what this version cannot draw', async () => {
    const strange = { shape: 'of a later version' }
    const { keeper, gateway, saves, settle, draw, tick } = desk(
      [one('a'), strange],
      new Set([strange]),
    )
    keeper.open(STUDY)
    await settle()
    expect(saves).toEqual([])
    draw(one('a'), one('b'))
    keeper.changed(STUDY)
    await tick()
    expect(gateway.annotations).toEqual([one('a'), one('b'), strange])
  })

  it('is tried again where nobody answers, and says so until it is saved', async () => {
    const { keeper, saves, settle, draw, refuse, tick } = desk()
    keeper.open(STUDY)
    await settle()
    refuse(new Error('No answer.'))
    draw(one('a'))
    keeper.changed(STUDY)
    await tick()
    expect(keeper.state().studies.get(STUDY)).toMatchObject({
      state: 'failing',
      fault: 'No answer.',
    })
    draw(one('a'), one('b'))
    keeper.changed(STUDY)
    expect(keeper.state().studies.get(STUDY)?.state).toBe('failing')
    refuse(undefined)
    await tick()
    expect(saves).toEqual([[one('a'), one('b')]])
    expect(keeper.state().studies.get(STUDY)).toMatchObject({ state: 'saved', fault: '' })
  })

  it('is not tried for ever where it is refused, and can be saved by hand', async () => {
    const { keeper, saves, settle, draw, refuse, tick } = desk()
    keeper.open(STUDY)
    await settle()
    refuse(new Error('Too much is drawn.'))
    draw(one('a'))
    keeper.changed(STUDY)
    await tick()
    await tick()
    expect(keeper.state().studies.get(STUDY)).toMatchObject({
      state: 'refused',
      fault: 'Too much is drawn.',
    })
    refuse(undefined)
    keeper.flush()
    await settle()
    expect(saves).toEqual([[one('a')]])
  })

  it('that was drawn while the stored was on its way stays beside it', async () => {
    const { keeper, gateway, settle, draw, tick } = desk([one('a')])
    keeper.open(STUDY)
    draw(one('new'))
    keeper.changed(STUDY)
    await settle()
    await tick()
    expect(gateway.annotations).toEqual([one('new'), one('a')])
  })
})

it('lists a drawing of a known tool, and leaves out what it does not know', () => {
  const kept = { tool: 'Length', sopInstanceUid: '1.2', frame: 3, data: { handles: {} } }
  expect(drawingOf(kept)).toMatchObject({
    tool: 'length',
    sopInstanceUid: '1.2',
    frame: 3,
    text: '',
  })
  expect(drawingOf({ ...kept, tool: 'ArrowAnnotate', data: { text: 'here' } })?.text).toBe('here')
  expect(drawingOf({ ...kept, tool: 'Hologram' })).toBeUndefined()
  expect(drawingOf({ ...kept, tool: 'toString' })).toBeUndefined()
  expect(drawingOf(7)).toBeUndefined()
})

describe('what is saved to the study', () => {
  it('is drawn for everyone, and kept by nobody who only looks at it', async () => {
    const on = desk([], new Set(), { saved: [savedLabel('a', 1)] })
    on.keeper.open(STUDY)
    await on.settle()
    expect(on.drawnNow()).toEqual([label('a', 1)])
    on.keeper.changed(STUDY)
    await on.tick()
    expect(on.saves).toEqual([])
    expect(on.keeper.state().studies.get(STUDY)).toMatchObject({ state: 'saved' })
  })

  it('is what was drawn, changed and removed since, and is kept with the own drawings', async () => {
    const on = desk([], new Set(), { saved: [savedLabel('a', 1), savedLabel('b', 1)] })
    on.keeper.open(STUDY)
    await on.settle()
    on.draw(label('a', 7), label('c', 3))
    on.keeper.changed(STUDY)
    expect(on.keeper.unsaved(STUDY)).toMatchObject({
      drawings: [savedLabel('a', 7), savedLabel('c', 3)],
      removed: ['b'],
    })
    await on.keeper.saveToStudy(STUDY, [])
    expect(on.study().drawings).toEqual([savedLabel('a', 7), savedLabel('c', 3)])
    expect(on.keeper.unsaved(STUDY)).toMatchObject({ drawings: [], removed: [] })
    await on.tick()
    const again = desk(on.saves.at(-1), new Set(), { saved: on.study().drawings })
    again.keeper.open(STUDY)
    await again.settle()
    expect(again.drawnNow()).toEqual([label('a', 7), label('c', 3)])
    expect(again.saves).toEqual([])
  })

  it('changes with what others save, and the own changes stay', async () => {
    const on = desk([], new Set(), { saved: [savedLabel('a', 1), savedLabel('b', 1)] })
    on.keeper.open(STUDY)
    await on.settle()
    on.draw(label('a', 7), label('b', 1), label('c', 3))
    on.keeper.changed(STUDY)
    await on.tick()
    const saved = [savedLabel('a', 2), savedLabel('d', 4)]
    const again = desk(on.saves.at(-1), new Set(), { saved })
    again.keeper.open(STUDY)
    await again.settle()
    expect(again.drawnNow()).toEqual([label('a', 7), label('c', 3), label('d', 4)])
    expect(again.keeper.unsaved(STUDY).drawings).toEqual([savedLabel('a', 7), savedLabel('c', 3)])
  })

  it('cannot be removed in a view of a link', async () => {
    const on = desk([], new Set(), { saved: [savedLabel('a', 1)], mayRemove: false })
    on.keeper.open(STUDY)
    await on.settle()
    on.draw()
    on.keeper.changed(STUDY)
    expect(on.drawnNow()).toEqual([label('a', 1)])
    expect(on.keeper.unsaved(STUDY).removed).toEqual([])
  })

  it('has the key images', async () => {
    const on = desk()
    on.keeper.open(STUDY)
    await on.settle()
    on.keeper.toggleKeyImage(STUDY, '1.2.3.4', 2)
    const [marked] = on.keeper.state().studies.get(STUDY)?.keyImages ?? []
    expect(marked).toMatchObject({ id: '1.2.3.4/2', title: '113000' })
    if (marked) on.keeper.changeKeyImage(STUDY, { ...marked, text: 'Nodule' })
    await on.keeper.saveToStudy(STUDY, [])
    expect(on.study().drawings).toMatchObject([{ kind: 'keyImage', frame: 2, text: 'Nodule' }])
    on.keeper.toggleKeyImage(STUDY, '1.2.3.4', 2)
    expect(on.keeper.unsaved(STUDY).removed).toEqual(['1.2.3.4/2'])
  })

  it('says why it could not be saved', async () => {
    const on = desk()
    on.keeper.open(STUDY)
    await on.settle()
    on.draw(label('a', 1))
    on.keeper.changed(STUDY)
    on.refuse(new Error('No answer.'))
    await on.keeper.saveToStudy(STUDY, [])
    expect(on.keeper.state().studies.get(STUDY)).toMatchObject({
      ...{ studyFault: 'No answer.', isSavingToStudy: false },
    })
    expect(on.keeper.unsaved(STUDY).drawings).toHaveLength(1)
  })
})
