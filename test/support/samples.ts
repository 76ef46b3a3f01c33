import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { PYDICOM_SAMPLES } from './needs.ts'

/** Sample files of pydicom and dicom3tools (dicom-field §8), as Debian's packages lay them down. */
const FOLDERS = [
  PYDICOM_SAMPLES,
  '/usr/lib/python3/dist-packages/pydicom/data/charset_files',
  '/usr/lib/python3/dist-packages/pydicom/data/palettes',
  '/usr/share/doc/dicom3tools/examples',
]

/** One file, as pydicom reads it: UIDs are those of the data set, '' where it has none. */
export interface Sample {
  /** Below its folder. */
  readonly name: string
  readonly path: string
  /** Bytes of the file before the data set; -1 where it is no DICOM file (PS3.10 §7). */
  readonly dataSetOffset: number
  /** Of the file meta information. */
  readonly transferSyntaxUid: string
  readonly metaSopClassUid: string
  readonly sopClassUid: string
  readonly sopInstanceUid: string
  readonly studyInstanceUid: string
  readonly seriesInstanceUid: string
}

const READER = `
import json, os, sys, warnings, pydicom
from pydicom.filereader import _read_file_meta_info
warnings.simplefilter('ignore')
def look(folder, path):
    found = dict(name=os.path.relpath(path, folder), path=path, dataSetOffset=-1, transferSyntaxUid='', metaSopClassUid='')
    data, meta = {}, {}
    with open(path, 'rb') as f:
        if f.read(132)[128:] == b'DICM':
            meta = _read_file_meta_info(f)
            found['dataSetOffset'] = f.tell()
            data = pydicom.dcmread(path, force=True, stop_before_pixels=True)
    for name, of, keyword in (('transferSyntaxUid', meta, 'TransferSyntaxUID'), ('metaSopClassUid', meta, 'MediaStorageSOPClassUID'),
            ('sopClassUid', data, 'SOPClassUID'), ('sopInstanceUid', data, 'SOPInstanceUID'),
            ('studyInstanceUid', data, 'StudyInstanceUID'), ('seriesInstanceUid', data, 'SeriesInstanceUID')):
        found[name] = str(of.get(keyword, ''))
    return found
print(json.dumps([look(folder, os.path.join(root, name))
    for folder in sys.argv[1:] for root, _, names in sorted(os.walk(folder)) for name in sorted(names)]))
`

/** Every file below the folders, read by pydicom, an implementation that is not ours. */
export function samples(folders: readonly string[] = FOLDERS): Sample[] {
  const words = ['-c', READER, ...folders]
  return JSON.parse(
    execFileSync('/usr/bin/python3', words, {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
}

/**
 * The data set of a file as it goes over the network: PS3.5 A.5 has a deflated one of even length
 * there, and on disk it may be odd.
 */
export function dataSetOf({ path, dataSetOffset }: Pick<Sample, 'path' | 'dataSetOffset'>): Buffer {
  const bytes = readFileSync(path).subarray(dataSetOffset)
  return Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)])
}
