import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { sendInstances } from '#server/dicom/scu/store.ts'
import { scratchFolder } from '../support/dcmtk.ts'
import { writeInstance } from '../support/instance-file.ts'
import { needs } from '../support/needs.ts'
import { startOrthanc } from '../support/orthanc.ts'
import { CHANGES, ctImage, DRAWINGS, IMAGE, openSaving, STUDY } from '../support/saved-drawings.ts'

const run = promisify(execFile)
type Failed = { readonly stdout: string; readonly stderr: string }
const output = async (command: string, ...args: string[]): Promise<string> => {
  const { stdout, stderr } = await run(command, args).catch((error: Failed) => error)
  return stdout + stderr
}

/** The files of a version with every kind of drawing: SR, PR and KO. */
async function filesOf(
  folder: string,
  drawings = DRAWINGS,
  { isColor = false, center = 50 } = {},
): Promise<{ sr: string; pr: string; ko: string }> {
  using on = openSaving()
  const { image } = ctImage().instance
  if (isColor && image)
    on.images.set(
      IMAGE,
      ctImage({
        instance: { image: { ...image, samplesPerPixel: 3, photometricInterpretation: 'RGB' } },
      }),
    )
  await on.saved.save(on.window, STUDY, {
    ...CHANGES,
    drawings: [...drawings],
    windows: [{ sopInstanceUid: IMAGE, frame: 1, center, width: 350 }],
  })
  const copies = (await on.files()).map((file, index) => {
    const copy = join(mkdtempSync(join(folder, 'v')), `${['sr', 'pr', 'ko'][index]}.dcm`)
    copyFileSync(file, copy)
    return copy
  })
  const [sr = '', pr = '', ko = ''] = copies
  return { sr, pr, ko }
}

const ASCII = DRAWINGS.map((one) => ({ ...one, text: one.text === '' ? '' : 'Text' }))
/** What DCMTK says it does not check itself is no complaint about the document. */
const complaintsOf = (stderr: string) =>
  stderr.split('\n').filter((line) => line !== '' && !/not (yet )?support(ed)?/.test(line))

const GEOMETRY = { PixelSpacing: '0.5\\0.5', RescaleSlope: '1', RescaleIntercept: '-1024' }

const READ_BY_PYDICOM = `
import json, sys, pydicom
sr, pr, ko = [pydicom.dcmread(path) for path in sys.argv[1:]]
measurements = sr.ContentSequence[-1]
annotations = [a for a in pr.GraphicAnnotationSequence if a.GraphicLayer == 'ANNOTATIONS']
print(json.dumps({
  'classes': [one.SOPClassUID.name for one in (sr, pr, ko)],
  'groups': len(measurements.ContentSequence),
  'texts': [a.TextObjectSequence[0].UnformattedTextValue for a in annotations],
  'window': [float(pr.SoftcopyVOILUTSequence[0].WindowCenter), float(pr.SoftcopyVOILUTSequence[0].WindowWidth)],
  'keyImages': [item.ReferencedSOPSequence[0].ReferencedSOPInstanceUID for item in ko.ContentSequence if item.ValueType == 'IMAGE'],
}))
`

describe('drawings that are saved to a study, by tools that are not ours', () => {
  it('are a Comprehensive SR, a presentation state and a key object selection without an error', async (context) => {
    needs(context, 'dicom3tools')
    using folder = scratchFolder()
    const { sr, pr, ko } = await filesOf(folder.path)
    const [ofSr, ofPr, ofKo] = [
      await output('dciodvfy', sr),
      await output('dciodvfy', pr),
      await output('dciodvfy', ko),
    ]
    expect(ofSr).toContain('ComprehensiveSR')
    expect(ofPr).toContain('GrayscaleSoftcopyPresentationState')
    expect(ofKo).toContain('KeyObjectSelectionDocument')
    expect(ofSr + ofPr + ofKo).not.toMatch(/^Error/m)
  })

  it('are read as a tree of measurement groups with their values, coordinates and image', async (context) => {
    needs(context, 'dcmtk')
    using folder = scratchFolder()
    const { sr, ko } = await filesOf(folder.path)
    const { stdout, stderr } = await run('dsrdump', ['+Pc', '+Pl', '+Pu', '+U8', sr])
    expect(complaintsOf(stderr)).toEqual([])
    expect(stdout).toContain('Comprehensive SR Document')
    expect(stdout).toContain('"Person Observer Name")="Sample^Rita"')
    expect(stdout).toMatch(
      /\(410668003,SCT,"Length"\)="24\.88" \(mm,UCUM,"millimeter"\)>\s*<inferred from SCOORD:=\(POLYLINE,10\.5\/20\.5,60\.25\/20\.5\)>\s*<selected from IMAGE:=\(CT image,"2\.25\.100\.1\.1"\)>/,
    )
    expect(stdout).toMatch(
      /"Attenuation Coefficient"\)="-12\.5" \(\[hnsf'U\][^>]*>\s*<has concept mod CODE:[^=]*=\(373098007,SCT,"Mean"\)/,
    )
    const keyImages = await run('dsrdump', ['+Pc', '+Pl', '+Pu', ko])
    expect(complaintsOf(keyImages.stderr)).toEqual([])
    expect(keyImages.stdout).toContain('<CONTAINER:(113000,DCM,"Of Interest")=SEPARATE>')
    expect(keyImages.stdout).toContain('<contains IMAGE:=(CT image,"2.25.100.1.1")>')
    expect(keyImages.stdout).toContain('"Key Object Description")="Nodule"')
  })

  it('show the image in the window at that time, and keep their graphics', async (context) => {
    needs(context, 'dcmtk')
    using folder = scratchFolder()
    // DCMTK's checker knows no text in ISO_IR 192 beyond Latin letters.
    const { pr } = await filesOf(folder.path, ASCII, { center: -800 })
    expect(await output('dcmpschk', pr)).toContain('Test passed')
    const { path } = writeInstance(folder.path, { size: 128, more: GEOMETRY })
    const [out, kept] = [join(folder.path, 'shown.pgm'), join(folder.path, 'kept.dcm')]
    await run('dcmp2pgm', ['-p', pr, '+S', kept, path, out])
    const bytes = readFileSync(out)
    const [header = '', columns] =
      /^P5\s+(?:#.*\s+)*(\d+)\s+\d+\s+\d+\s/.exec(bytes.toString('latin1')) ?? []
    expect(columns).toBe('128')
    // Rows are a ramp of 7 a column: -1024 + 7 × 32 HU is the center of the window, and its lower
    // end is left of it by 350 / 2 / 7 columns.
    const row = [...bytes.subarray(header.length, header.length + 128)]
    expect(row.slice(0, 7)).toEqual(Array(7).fill(0))
    expect(Math.abs((row[32] ?? 0) - 128)).toBeLessThan(4)
    expect(row.slice(58, 128)).toEqual(Array(70).fill(255))
    // What DCMTK read of the presentation state it writes again.
    const graphics = (dump: string) => dump.match(/\(0070,0022\) FL \S+/g)
    const again = await output('dcmdump', kept)
    expect(graphics(again)).toContain('(0070,0022) FL 10.5\\20.5\\60.25\\20.5')
    expect(graphics(again)?.length).toBe(graphics(await output('dcmdump', pr))?.length)
  })

  it('are read by pydicom with their text in every script', async (context) => {
    needs(context, 'pydicom')
    using folder = scratchFolder()
    const { sr, pr, ko } = await filesOf(folder.path)
    const { stdout } = await run('/usr/bin/python3', ['-c', READ_BY_PYDICOM, sr, pr, ko])
    expect(JSON.parse(stdout)).toEqual({
      classes: [
        'Comprehensive SR Storage',
        'Grayscale Softcopy Presentation State Storage',
        'Key Object Selection Document Storage',
      ],
      groups: 10,
      texts: ['Noyau «suspect»\r\nà revoir', 'Сустав 関節'],
      window: [50, 350],
      keyImages: [IMAGE],
    })
  })

  it('are filed by Orthanc in the study of their images', async (context) => {
    needs(context, 'orthanc')
    using folder = scratchFolder()
    await using orthanc = await startOrthanc(1)
    const files = Object.values(await filesOf(folder.path))
    const peer = { host: '127.0.0.1', port: orthanc.port, aeTitle: 'ORTHANC', tls: undefined }
    const instances = await Promise.all(
      files.map(async (path) => ({ path, ...(await readFileMeta(path)) })),
    )
    const outcomes: string[] = []
    for await (const { outcome } of sendInstances({ peer, callingAeTitle: 'ISTHMUS' }, instances))
      outcomes.push(outcome)
    expect(outcomes).toEqual(['sent', 'sent', 'sent'])
    const [study = '', ...others] = await orthanc.rest<string[]>('/studies')
    expect(others).toEqual([])
    const series = await orthanc.rest<{ MainDicomTags: { Modality: string } }[]>(
      `/studies/${study}/series`,
    )
    expect(series.map(({ MainDicomTags }) => MainDicomTags.Modality).sort()).toEqual([
      'KO',
      'PR',
      'SR',
    ])
  })

  it('are a color presentation state on color images', async (context) => {
    needs(context, 'dicom3tools')
    using folder = scratchFolder()
    const { pr } = await filesOf(folder.path, ASCII, { isColor: true })
    const verdict = await output('dciodvfy', pr)
    expect(verdict).toContain('ColorSoftcopyPresentationState')
    expect(verdict).not.toMatch(/^Error/m)
  })
})
