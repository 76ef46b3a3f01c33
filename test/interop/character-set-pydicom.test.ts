import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { expect, it } from 'vitest'
import { decodeText, encodeText } from '#server/dicom/character-sets/character-set.ts'
import { needs } from '../support/needs.ts'

/**
 * Every text element of pydicom's own character set files: its bytes, and what pydicom reads in
 * them.
 */
const READ_FILES = `
import glob, json, os, pydicom, pydicom.data, pydicom.multival
found = []
def walk(ds, terms, name):
    own = ds.get('SpecificCharacterSet', None)
    if own is not None: terms = [own] if isinstance(own, str) else list(own)
    for tag in list(ds.keys()):
        raw = ds.get_item(tag)
        if raw.VR == 'SQ':
            for item in ds[tag].value: walk(item, terms, name)
        elif raw.VR in ('SH', 'LO', 'ST', 'LT', 'UT', 'PN') and isinstance(raw.value, bytes):
            data = raw.value
            value = ds[tag].value
            several = isinstance(value, pydicom.multival.MultiValue)
            text = '\\\\'.join(str(one) for one in value) if several else str(value or '')
            if any(b > 126 or b == 27 for b in data):
                found.append({'name': name, 'terms': terms, 'vr': raw.VR, 'hex': data.rstrip(b' ').hex(), 'text': text.rstrip(' ')})
folder = os.path.join(os.path.dirname(pydicom.data.__file__), 'charset_files')
for path in sorted(glob.glob(os.path.join(folder, '*.dcm'))):
    walk(pydicom.dcmread(path), [], os.path.basename(path))
print(json.dumps(found))
`

/** What Python's codecs say of every character of the basic plane. */
const READ_CODECS = `
import json
def table(codec, code):
    found = {}
    for point in list(range(0xa0, 0xd800)) + list(range(0xe000, 0x10000)):
        try: data = code(chr(point).encode(codec))
        except UnicodeEncodeError: continue
        if data: found[chr(point)] = data.hex()
    return found
whole = lambda data: data
pair = lambda data: data if len(data) == 2 and data[0] > 0xa0 else None
sets = {'ISO_IR 100': 'latin_1', 'ISO_IR 101': 'iso8859_2', 'ISO_IR 109': 'iso8859_3', 'ISO_IR 110': 'iso8859_4', 'ISO_IR 144': 'iso8859_5',
        'ISO_IR 127': 'iso8859_6', 'ISO_IR 126': 'iso8859_7', 'ISO_IR 138': 'iso8859_8', 'ISO_IR 148': 'iso8859_9', 'ISO_IR 166': 'tis_620',
        'ISO_IR 203': 'iso8859_15', 'GB18030': 'gb18030', 'GBK': 'gbk'}
found = {term: table(codec, whole) for term, codec in sets.items()}
found['ISO 2022 IR 87'] = table('euc_jp', lambda data: bytes(b & 0x7f for b in data) if pair(data) else None)
found['ISO 2022 IR 159'] = table('euc_jp', lambda data: bytes(b & 0x7f for b in data[1:]) if len(data) == 3 else None)
found['ISO 2022 IR 149'] = table('euc_kr', pair)
found['ISO 2022 IR 58'] = table('gb2312', pair)
print(json.dumps(found))
`

interface TextElement {
  readonly name: string
  readonly terms: readonly string[]
  readonly vr: string
  readonly hex: string
  readonly text: string
}

/** What a script prints under the first Python of the path that can run it. */
function python<T>(script: string): T | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const run = spawnSync(join(folder, 'python3'), ['-W', 'ignore', '-c', script], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      timeout: 30_000,
    })
    if (run.status === 0) return JSON.parse(run.stdout) as T
  }
  return undefined
}

it("reads every text of pydicom's character set files as pydicom does", (context) => {
  needs(context, 'pydicom')
  const elements = python<readonly TextElement[]>(READ_FILES) ?? []
  expect(new Set(elements.map(({ name }) => name)).size).toBeGreaterThan(10)
  const read = elements.map(({ name, hex, terms, vr }) => {
    const { text, isExact } = decodeText(Buffer.from(hex, 'hex'), terms, vr)
    // pydicom leaves out empty component groups at the end of a name.
    return { name, isExact, text: text.replace(/=+$/, '') }
  })
  expect(read).toEqual(elements.map(({ name, text }) => ({ name, isExact: true, text })))
})

/**
 * Where we send less than Python's codec has, and why: later editions than those DICOM names, and
 * presentation forms.
 */
const NOT_SENT: Readonly<Record<string, RegExp>> = {
  'ISO_IR 126': /[ͺ€₯]/,
  'ISO_IR 138': /\p{Cf}/u,
  'ISO 2022 IR 149': /[®€]/,
  GBK: /[︱-﹄]/,
  GB18030: /[\p{Cn}\p{Co}\p{Cc}\uFFFD龴-龻︐-︙ḿ]/u,
}
/** Characters that Microsoft's table names otherwise than the standard's, sent at the same code. */
const SYNONYMS: Readonly<Record<string, string>> = {
  ...{ 'ISO 2022 IR 87': '—∥－～￠￡￢', 'ISO 2022 IR 58': '·—' },
}

it("sends every character of the basic plane in the bytes of Python's codecs, or not at all", (context) => {
  needs(context, 'python')
  const codecs =
    python<Readonly<Record<string, Readonly<Record<string, string>>>>>(READ_CODECS) ?? {}
  expect(Object.keys(codecs)).toHaveLength(17)
  const odd: string[] = []
  for (const [term, expected] of Object.entries(codecs)) {
    const isExtension = term.startsWith('ISO 2022')
    for (let point = 0xa0; point < 0x10000; point++) {
      if (point >= 0xd800 && point < 0xe000) continue
      const character = String.fromCharCode(point)
      const sent = encodeText(character, isExtension ? ['', term] : [term], 'LT')?.toString('hex')
      const bytes = isExtension
        ? sent?.replace(/^1b(?:2442|242844|242943|242941)|1b2842$/g, '')
        : sent
      const isKnown =
        bytes === undefined ? NOT_SENT[term]?.test(character) : SYNONYMS[term]?.includes(character)
      if (bytes !== expected[character] && !isKnown)
        odd.push(`${term} ${character} ${bytes} ${expected[character]}`)
    }
  }
  expect(odd).toEqual([])
})
