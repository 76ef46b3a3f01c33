import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import {
  KEY_OBJECT_SELECTION,
  type RejectedInstance,
  rejectionNote,
} from '#server/dicom/objects/rejection-note.ts'
import { sendInstances } from '#server/dicom/scu/store.ts'
import { receivedFile, startStorescp } from '../support/archive.ts'
import { scratchFolder } from '../support/dcmtk.ts'
import { CT_IMAGE_STORAGE, type InstanceFile, writeInstance } from '../support/instance-file.ts'
import { needs } from '../support/needs.ts'
import { startOrthanc } from '../support/orthanc.ts'

const run = promisify(execFile)
const NOTE = '2.25.900.1'
const ECG = '1.2.840.10008.5.1.4.1.1.9.1.1'
const SR = '1.2.840.10008.5.1.4.1.1.88.11'

const rejected: readonly RejectedInstance[] = [
  {
    seriesInstanceUid: '2.25.100.1',
    sopClassUid: CT_IMAGE_STORAGE,
    sopInstanceUid: '2.25.100.1.1',
    isImage: true,
  },
  {
    seriesInstanceUid: '2.25.100.1',
    sopClassUid: CT_IMAGE_STORAGE,
    sopInstanceUid: '2.25.100.1.2',
    isImage: true,
  },
  {
    seriesInstanceUid: '2.25.100.2',
    sopClassUid: ECG,
    sopInstanceUid: '2.25.100.2.1',
    isImage: false,
  },
  {
    seriesInstanceUid: '2.25.100.3',
    sopClassUid: SR,
    sopInstanceUid: '2.25.100.3.1',
    isImage: false,
  },
]

/** A rejection note in the study of `writeInstance`, as a file. */
function writtenNote(
  folder: string,
  cause: Parameters<typeof rejectionNote>[2]['cause'] = 'wrong-worklist-entry',
) {
  const header = {
    ...{
      patientName: 'Müller^Jörg',
      patientId: 'P-0815',
      patientBirthDate: '19640229',
      patientSex: 'M',
    },
    ...{ studyInstanceUid: '2.25.100', studyDate: '20260310', studyTime: '101500', studyId: '1' },
    ...{ studyDescription: 'CT Schädel', accessionNumber: 'A-4711', referringPhysicianName: '' },
    ...{ institutionName: '', seriesInstanceUid: '2.25.900', seriesNumber: '9999' },
    ...{ seriesDescription: 'Rejection note', sopInstanceUid: NOTE },
  }
  const made = { date: '20260310', time: '110000', offset: '+0100' }
  const transferSyntaxUid = TRANSFER_SYNTAX.explicitLittleEndian
  const about = { sopClassUid: KEY_OBJECT_SELECTION, sopInstanceUid: NOTE, transferSyntaxUid }
  const meta = fileMeta({ ...about, sourceAeTitle: 'ISTHMUS' })
  const dataSet = writeDataSet(rejectionNote(header, made, { cause, rejected }), transferSyntaxUid)
  const path = join(folder, `${cause}.dcm`)
  writeFileSync(path, Buffer.concat([meta, dataSet]))
  return { ...about, path, dataSetOffset: meta.length, dataSet }
}

const outcomesOf = async (port: number, aeTitle: string, instances: readonly InstanceFile[]) => {
  const outcomes: string[] = []
  const peer = { host: '127.0.0.1', port, aeTitle, tls: undefined }
  for await (const { outcome } of sendInstances({ peer, callingAeTitle: 'ISTHMUS' }, instances))
    outcomes.push(outcome)
  return outcomes
}

describe('rejection notes, by tools that are not ours', () => {
  it('are a Key Object Selection Document without an error', async (context) => {
    needs(context, 'dicom3tools')
    using folder = scratchFolder()
    for (const cause of ['wrong-worklist-entry', 'patient-safety'] as const) {
      const { path } = writtenNote(folder.path, cause)
      const { stdout, stderr } = await run('dciodvfy', [path]).catch(
        (error: { stdout: string; stderr: string }) => error,
      )
      expect(stdout + stderr).toContain('KeyObjectSelectionDocument')
      expect(stdout + stderr).not.toMatch(/^Error/m)
    }
  })

  it('are read as a document with its title, and every rejected instance by its kind', async (context) => {
    needs(context, 'dcmtk')
    using folder = scratchFolder()
    const { path } = writtenNote(folder.path)
    const { stdout, stderr } = await run('dsrdump', ['+Pc', '+Pl', '+Pu', path])
    // What DCMTK says it does not check itself is no complaint about the document.
    expect(
      stderr.split('\n').filter((line) => line !== '' && !/not (yet )?support(ed)?/.test(line)),
    ).toEqual([])
    expect(stdout).toContain('Key Object Selection Document')
    expect(stdout).toContain(
      '<CONTAINER:(113038,DCM,"Incorrect Modality Worklist Entry")=SEPARATE>',
    )
    expect(stdout).toContain(`<contains IMAGE:=(CT image,"2.25.100.1.2")`)
    expect(stdout).toMatch(/<contains WAVEFORM:=\([^)]*2\.25\.100\.2\.1/)
    expect(stdout).toMatch(/<contains COMPOSITE:=\([^)]*2\.25\.100\.3\.1/)
    const safety = await run('dsrdump', [
      '+Pc',
      '+Pl',
      writtenNote(folder.path, 'patient-safety').path,
    ])
    expect(safety.stdout).toContain('(113037,DCM,"Rejected for Patient Safety Reasons")')
  })

  it('arrive at storescp byte for byte', async (context) => {
    needs(context, 'dcmtk')
    using folder = scratchFolder()
    await using archive = await startStorescp(['+B'])
    const note = writtenNote(folder.path)
    expect(await outcomesOf(archive.port, 'STORESCP', [note])).toEqual(['sent'])
    const [file = ''] = archive.files()
    const received = receivedFile(archive, file)
    expect(received.subarray(received.length - note.dataSet.length).equals(note.dataSet)).toBe(true)
  })

  it('are filed by Orthanc in the study of the rejected images, with the same patient', async (context) => {
    needs(context, 'orthanc')
    using folder = scratchFolder()
    await using orthanc = await startOrthanc(1)
    const image = writeInstance(folder.path, { sopInstanceUid: '2.25.100.1.1' })
    expect(await outcomesOf(orthanc.port, 'ORTHANC', [image, writtenNote(folder.path)])).toEqual([
      'sent',
      'sent',
    ])
    const [patients, studies] = await Promise.all([
      orthanc.rest<string[]>('/patients'),
      orthanc.rest<string[]>('/studies'),
    ])
    expect([patients.length, studies.length]).toEqual([1, 1])
    const series = await orthanc.rest<{ MainDicomTags: { Modality: string } }[]>(
      `/studies/${studies[0]}/series`,
    )
    expect(series.map(({ MainDicomTags }) => MainDicomTags.Modality).sort()).toEqual(['CT', 'KO'])
  })
})
