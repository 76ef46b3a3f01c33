import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { markRestored, StorageFault } from '#server/database/image-files.ts'
import { rawQuery } from '#server/database/query.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { listStudyInstances } from '#server/modules/images/instance-queries.ts'
import {
  countQuarantined,
  listQuarantined,
  listQuarantinedGroups,
} from '#server/modules/images/quarantine-queries.ts'
import { readOriginalUids } from '#server/modules/images/stored-object.ts'
import { findImageStudy, isStudyMismatched } from '#server/modules/studies/image-study-queries.ts'
import { identityOf } from '#server/modules/studies/study-identity.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import type { CorrectedPatient, CorrectionRequest } from '#shared/contract/corrections.ts'
import { englishText } from '#shared/messages/english.ts'
import { ORDER, TO_ORDER } from '../../../../support/corrections.ts'
import { textOf } from '../../../../support/saying.ts'
import { HANDED_OUT, image, inFragments, openStage, STUDY, type Stage } from './intake-fixture.ts'

// An older database was put back: it does not know the corrections that were made since.

const TARGET = ORDER.studyInstanceUid
const BORN: CorrectedPatient = {
  ...{
    patientName: 'Sample^Sam',
    patientId: 'P100',
    patientBirthDate: '19800512',
    patientSex: 'M',
  },
  accessionNumber: 'A100',
}
const TO_BORN: CorrectionRequest = { kind: 'correct', target: { to: 'patient', patient: BORN } }

interface Clinic extends AsyncDisposable {
  readonly stage: Stage
  apply(request: CorrectionRequest): Promise<{ readonly correctionId: string }>
  /** The database is that of before the last `keep`, and the files are those of now. */
  putBack(how?: 'by the gateway' | 'by hand'): Promise<void>
}

async function clinic(
  numbers: readonly number[] = [1, 2],
  {
    transferSyntax,
    ...ports
  }: Parameters<typeof openStage>[0] & { readonly transferSyntax?: string } = {},
): Promise<Clinic> {
  const stage = await openStage({
    ...ports,
    handedOut: async ({ studyInstanceUid }) =>
      studyInstanceUid === STUDY ? HANDED_OUT : undefined,
    orders: { onDays: async () => [ORDER], get: async () => ORDER },
  })
  for (const number of numbers)
    await stage.send(image(number), transferSyntax ? { transferSyntax } : {})
  await stage.pass(60_000)
  const { store } = stage
  const tables = ['imageStudies', 'imageSeries', 'instances']
  const run = (sql: string) => store.database.run(rawQuery(sql, []))
  for (const table of tables) run(`create temp table older_${table} as select * from ${table}`)
  return {
    stage,
    async apply(request) {
      const { digest } = await stage.corrections.preview(STUDY, request)
      const order = {
        ...request,
        cause: 'wrong-worklist-entry' as const,
        reason: 'wrong entry',
        digest,
      }
      return await stage.corrections.apply(STUDY, order, 'usr_1')
    },
    async putBack(how = 'by the gateway') {
      await stage.intake.settled()
      await stage.reopen(() => {
        store.database.transaction(() => {
          for (const table of ['correctedInstances', 'corrections', 'foundVersions'])
            run(`delete from ${table}`)
          for (const table of tables.toReversed()) run(`delete from ${table}`)
          for (const table of tables) run(`insert into ${table} select * from older_${table}`)
        })
        if (how === 'by the gateway') markRestored(stage.folder)
        else rmSync(join(stage.folder, 'images', '.swept'), { force: true })
      })
      await stage.intake.settled()
      expect(stage.errors).toEqual([])
    },
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  }
}

const identity = ({ store }: Stage, uid: string) =>
  identityOf(findImageStudy(store.database, uid), findStudyByUid(store.database, 'scribe', uid))
const shown = ({ store }: Stage) =>
  [STUDY, TARGET].flatMap((uid) =>
    listStudyInstances(store.database, uid).map(({ patientName }) => patientName),
  )
const dicomFiles = (stage: Stage) => stage.files().images.length
const groupOf = ({ store }: Stage, uid: string) => {
  const [group] = listQuarantinedGroups(store.database, uid)
  if (!group) throw new Error(`nothing of ${uid} is in quarantine`)
  return group
}
const said = (stage: Stage) =>
  stage.news
    .map(({ text }) => englishText(text))
    .filter((text) => /^\d+ objects? (is|are) in quarantine/.test(text))

test.each(['by the gateway', 'by hand'] as const)(
  'corrected copies are set aside, and their originals are in doubt, after an older database was put back %s',
  async (how) => {
    await using at = await clinic()
    const { stage } = at
    await at.apply(TO_ORDER)
    expect(dicomFiles(stage)).toBe(4)
    await at.putBack(how)

    expect(dicomFiles(stage)).toBe(4)
    expect(stage.intake.recovery.count()).toBe(0)
    expect(shown(stage)).toEqual(['Sample^Sam', 'Sample^Sam'])
    expect(groupOf(stage, TARGET)).toMatchObject({
      because: 'different-content',
      instances: 2,
      patientNames: ['Other^Olga'],
    })
    expect(isStudyMismatched(stage.store.database, STUDY)).toBe(true)
    const { state, differences } = identity(stage, STUDY)
    expect(state).toBe('mismatch')
    expect(differences).toContainEqual({
      from: 'version',
      field: 'patientName',
      expected: 'Other^Olga',
      received: 'Sample^Sam',
    })
    expect(differences).toContainEqual({
      from: 'version',
      field: 'studyInstanceUid',
      expected: TARGET,
      received: STUDY,
    })
    expect(said(stage)).toEqual([expect.stringMatching(/^2 objects are in quarantine/)])

    // Nothing else is decided, or said, at the next start.
    await stage.reopen()
    await stage.intake.settled()
    expect(shown(stage)).toEqual(['Sample^Sam', 'Sample^Sam'])
    expect(said(stage)).toHaveLength(1)
    const preview = await stage.corrections.preview(STUDY, TO_ORDER)
    expect(textOf(preview.obstacle)).toContain('is in quarantine')
  },
)

test('a person who releases the copies restores the correction, with its undo', async () => {
  await using at = await clinic()
  const { stage } = at
  await at.apply(TO_ORDER)
  await at.putBack()
  const group = groupOf(stage, TARGET)
  const outcome = await stage.intake.quarantine.releaseGroup(
    group,
    'the correction was right',
    'user:usr_2',
  )
  expect(outcome).toMatchObject({ success: true, decided: 2, left: 0 })
  expect(shown(stage)).toEqual(['Other^Olga', 'Other^Olga'])
  await stage.pass(60_000)
  expect(identity(stage, STUDY).state).toBe('unverified')
  expect(identity(stage, TARGET).state).toBe('resolved')
  expect(isStudyMismatched(stage.store.database, STUDY)).toBe(false)
  expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({ instances: 0 })
  expect(findImageStudy(stage.store.database, TARGET)).toMatchObject({
    instances: 2,
    quarantined: 0,
    header: { patientId: 'P200' },
  })

  // What the device sends again of the originals does not bring them back.
  await stage.send(image(1))
  expect(shown(stage)).toEqual(['Other^Olga', 'Other^Olga'])
  const [correction] = stage.corrections.list(TARGET)
  expect(correction).toMatchObject({
    kind: 'reassign',
    reason: 'the correction was right',
    instances: 2,
    undoObstacle: null,
  })
  expect(correction?.changes).toContainEqual({
    field: 'patientId',
    before: ['P100'],
    after: 'P200',
  })
  await stage.corrections.undo(correction?.correctionId ?? '', 'it was wrong after all', 'usr_2')
  expect(shown(stage)).toEqual(['Sample^Sam', 'Sample^Sam'])
  expect(identity(stage, STUDY).state).toBe('matched')
  expect(dicomFiles(stage)).toBe(4)
})

test('a person who releases one copy decides about that image alone', async () => {
  await using at = await clinic()
  const { stage } = at
  await at.apply(TO_ORDER)
  await at.putBack()
  const [copy] = listQuarantined(stage.store.database, { limit: 5 }).items
  expect(
    await stage.intake.quarantine.release(copy?.instanceId ?? 0, 'right', 'user:usr_2'),
  ).toMatchObject({ success: true })
  expect(shown(stage)).toEqual(['Sample^Sam', 'Other^Olga'])
  expect(identity(stage, STUDY).state).toBe('mismatch')
})

test('a person who discards the copies keeps the originals, which are no longer in doubt', async () => {
  await using at = await clinic()
  const { stage } = at
  const { correctionId } = await at.apply(TO_ORDER)
  await stage.corrections.undo(correctionId, 'it was right', 'usr_1')
  await at.putBack()
  // Whether a correction was undone is known to the database alone.
  expect(identity(stage, STUDY).state).toBe('mismatch')
  const outcome = await stage.intake.quarantine.discardGroup(
    groupOf(stage, TARGET),
    'it was undone',
    'user:usr_2',
  )
  expect(outcome).toMatchObject({ success: true, decided: 2 })
  expect(shown(stage)).toEqual(['Sample^Sam', 'Sample^Sam'])
  expect(identity(stage, STUDY).state).toBe('matched')
  expect(isStudyMismatched(stage.store.database, STUDY)).toBe(false)
})

test('a correction within the study is found, also where the copy is deflated', async () => {
  await using at = await clinic([1], {
    transferSyntax: TRANSFER_SYNTAX.deflatedExplicitLittleEndian,
  })
  const { stage } = at
  await at.apply(TO_BORN)
  await at.putBack()
  expect(shown(stage)).toEqual(['Sample^Sam'])
  const birthDate = {
    from: 'version',
    field: 'patientBirthDate',
    expected: '19800512',
    received: '19800511',
  }
  expect(identity(stage, STUDY)).toMatchObject({ state: 'mismatch', differences: [birthDate] })
  await stage.intake.quarantine.releaseGroup(groupOf(stage, STUDY), 'right', 'user:usr_2')
  expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
    instances: 1,
    quarantined: 0,
    header: { patientBirthDate: '19800512' },
  })
  expect(identity(stage, STUDY).state).toBe('resolved')
})

test('of images that the database knows neither way, one version is shown and the other set aside', async () => {
  await using at = await clinic()
  const { stage } = at
  await at.apply(TO_ORDER)
  await at.putBack()
  const { store } = stage
  const all = [
    'delete from foundVersions',
    'delete from instances',
    'delete from imageSeries',
    'delete from imageStudies',
  ]
  await stage.reopen(() => {
    store.database.transaction(() => {
      for (const sql of all) store.database.run(rawQuery(sql, []))
    })
    markRestored(stage.folder)
  })
  await stage.intake.settled()
  const names = shown(stage)
  expect(names).toHaveLength(2)
  expect(countQuarantined(store.database)).toBe(2)
  const doubted = [STUDY, TARGET].filter((uid) => isStudyMismatched(store.database, uid))
  expect(doubted).toEqual(
    [STUDY, TARGET].filter((uid) => listStudyInstances(store.database, uid).length > 0),
  )
  // Both ways lead to one version of each image.
  for (const uid of [STUDY, TARGET])
    for (const group of listQuarantinedGroups(store.database, uid))
      await stage.intake.quarantine.releaseGroup(group, 'right', 'user:usr_2')
  expect(shown(stage)).toHaveLength(2)
  expect(countQuarantined(store.database)).toBe(0)
  expect(dicomFiles(stage)).toBe(4)
})

test('of an image that was corrected twice the last copy takes the place of whatever is shown', async () => {
  await using at = await clinic([1])
  const { stage } = at
  await at.apply(TO_BORN)
  await at.apply(TO_ORDER)
  await at.putBack()
  expect(shown(stage)).toEqual(['Sample^Sam'])
  expect(countQuarantined(stage.store.database)).toBe(2)
  await stage.intake.quarantine.releaseGroup(groupOf(stage, TARGET), 'the last one', 'user:usr_2')
  expect(shown(stage)).toEqual(['Other^Olga'])
  // The copy between the two is one that the last was made from, and is decided with it.
  expect(countQuarantined(stage.store.database)).toBe(0)
  expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
    instances: 0,
    quarantined: 0,
  })
  expect(identity(stage, TARGET).state).toBe('resolved')
})

test('of two copies of one image that are released together, the last takes its place, and the one it was made from is decided', async () => {
  await using at = await clinic([1])
  const { stage } = at
  await at.apply(TO_BORN)
  const again = { ...BORN, patientName: 'Sample^Samuel' }
  await at.apply({ kind: 'correct', target: { to: 'patient', patient: again } })
  await at.putBack()
  const outcome = await stage.intake.quarantine.releaseGroup(
    groupOf(stage, STUDY),
    'corrected twice',
    'user:usr_2',
  )
  expect(outcome).toMatchObject({ success: true, decided: 1, left: 0 })
  expect(shown(stage)).toEqual(['Sample^Samuel'])
  expect(identity(stage, STUDY).state).toBe('resolved')
})

test('a corrected copy that an archive returns does not stand beside its original', async () => {
  await using at = await clinic([1])
  const { stage } = at
  await at.apply(TO_ORDER)
  const [copy] = listStudyInstances(stage.store.database, TARGET)
  const file = stage.store.imageFiles.pathOf(copy?.file ?? '')
  const dataSet = readFileSync(file).subarray(copy?.dataSetOffset ?? 0)
  await at.putBack()
  // On another PC the file is not there: only the archive has it.
  const [found] = listQuarantined(stage.store.database, { limit: 1 }).items
  await stage.intake.quarantine.discard(found?.instanceId ?? 0, 'for the test', 'user:usr_1')
  expect(identity(stage, STUDY).state).toBe('matched')
  const result = await stage.send(
    { SOPClassUID: copy?.sopClassUid ?? '', SOPInstanceUID: copy?.sopInstanceUid ?? '' },
    { association: { callingAeTitle: 'ARCHIVE' }, dataSet: inFragments(dataSet, 1000) },
  )
  expect(result.status).toBe(0)
  expect(shown(stage)).toEqual(['Sample^Sam'])
  expect(identity(stage, STUDY).state).toBe('mismatch')
})

test('of two copies of one image of which none was made from the other, a person decides about each', async () => {
  await using at = await clinic([1])
  const { stage } = at
  const { correctionId } = await at.apply(TO_BORN)
  await stage.corrections.undo(correctionId, 'it was wrong', 'usr_1')
  await at.apply({
    kind: 'correct',
    target: { to: 'patient', patient: { ...BORN, patientName: 'Sample^Samuel' } },
  })
  await at.putBack()
  const release = stage.intake.quarantine.releaseGroup(groupOf(stage, STUDY), 'both', 'user:usr_2')
  await expect(release).rejects.toThrow('none of them was made from another')
  expect(shown(stage)).toEqual(['Sample^Sam'])
  expect(countQuarantined(stage.store.database)).toBe(2)

  const found = listQuarantined(stage.store.database, { limit: 5 }).items
  const last = found.find(({ patientName }) => patientName === 'Sample^Samuel')
  await stage.intake.quarantine.release(last?.instanceId ?? 0, 'the last one', 'user:usr_2')
  expect(shown(stage)).toEqual(['Sample^Samuel'])
  // About the other one nobody has decided: the study stays in doubt, and the correction stands.
  expect(identity(stage, STUDY).state).toBe('mismatch')
  expect(isStudyMismatched(stage.store.database, STUDY)).toBe(true)
  const [restored] = stage.corrections.list(STUDY)
  expect(textOf(restored?.undoObstacle)).toContain('is in quarantine')
  await stage.intake.quarantine.discardGroup(groupOf(stage, STUDY), 'it was undone', 'user:usr_2')
  expect(identity(stage, STUDY).state).toBe('resolved')
  await stage.corrections.undo(restored?.correctionId ?? '', 'as it was', 'usr_2')
  expect(shown(stage)).toEqual(['Sample^Sam'])
})

test('a version that is found while copies are made stops the correction', async () => {
  let hold: () => Promise<void> = async () => undefined
  await using at = await clinic([1], { flushEvents: () => hold() })
  const { stage } = at
  await at.apply(TO_ORDER)
  const [copy] = listStudyInstances(stage.store.database, TARGET)
  const dataSet = readFileSync(stage.store.imageFiles.pathOf(copy?.file ?? '')).subarray(
    copy?.dataSetOffset ?? 0,
  )
  await at.putBack()
  await stage.intake.quarantine.discardGroup(groupOf(stage, TARGET), 'for the test', 'user:usr_1')
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  hold = () => {
    reached.resolve()
    return opened.promise
  }
  const applying = at.apply(TO_BORN)
  const refused = expect(applying).rejects.toThrow('have changed')
  await reached.promise
  await stage.send(
    { SOPClassUID: copy?.sopClassUid ?? '', SOPInstanceUID: copy?.sopInstanceUid ?? '' },
    { association: { callingAeTitle: 'ARCHIVE' }, dataSet: inFragments(dataSet, 1000) },
  )
  expect(identity(stage, STUDY).state).toBe('mismatch')
  opened.resolve()
  await refused
  expect(shown(stage)).toEqual(['Sample^Sam'])
  expect(identity(stage, STUDY).state).toBe('mismatch')
})

test('a second file of a copy that is in quarantine gets a row, and stays where the row says it is', async () => {
  await using at = await clinic([1])
  const { stage } = at
  await at.apply(TO_ORDER)
  await at.putBack('by hand')
  const [copy] = listQuarantined(stage.store.database, { limit: 1 }).items
  const path = stage.store.imageFiles.pathOf(copy?.file ?? '')
  await stage.reopen(() => {
    copyFileSync(
      path,
      path.replace(/[0-9a-f-]{36}\.dcm$/, '00000000-0000-4000-8000-000000000001.dcm'),
    )
    rmSync(join(stage.folder, 'images', '.swept'), { force: true })
  })
  await stage.intake.settled()
  expect(dicomFiles(stage)).toBe(3)
  expect(stage.intake.recovery.count()).toBe(0)
  expect(stage.errors).toEqual([])
})

test('a file that the disk does not give goes to the recovery folder, and does not end the check after a restore', async () => {
  await using at = await clinic()
  const { stage } = at
  const { imageFiles } = stage.store
  await at.apply(TO_ORDER)
  const [first] = listStudyInstances(stage.store.database, TARGET)
  const secure = imageFiles.secure.bind(imageFiles)
  imageFiles.secure = async (file) => {
    if (file === first?.file) throw new StorageFault('failed', 'a fault of the disk')
    await secure(file)
  }
  await expect(at.putBack()).rejects.toThrow()
  expect(stage.errors).toHaveLength(1)
  expect(imageFiles.isImportingOrphans()).toBe(false)
  expect(stage.intake.recovery.count()).toBe(1)
  expect(countQuarantined(stage.store.database)).toBe(1)
})

test('whether an object is a corrected copy is not decided where its file cannot be opened', async () => {
  await using at = await clinic([1])
  const path = join(at.stage.folder, 'object.dcm')
  const stored = {
    path,
    dataSetOffset: 0,
    transferSyntaxUid: TRANSFER_SYNTAX.explicitLittleEndian,
    sopInstanceUid: '2.25.1',
  }
  await expect(readOriginalUids(stored, at.stage.folder)).rejects.toThrow('ENOENT')
  writeFileSync(path, 'no data set')
  expect(await readOriginalUids(stored, at.stage.folder)).toEqual([])
})

test('a gateway that stops begins no work on corrections', async () => {
  await using at = await clinic([1])
  const { stage } = at
  await at.apply(TO_ORDER)
  await at.putBack()
  const stopped = stage.intake
  await stage.reopen()
  const release = stopped.quarantine.releaseGroup(groupOf(stage, TARGET), 'right', 'user:usr_2')
  await expect(release).rejects.toThrow('is stopping')
  expect(shown(stage)).toEqual(['Sample^Sam'])
})
