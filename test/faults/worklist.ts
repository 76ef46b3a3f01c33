// biome-ignore-all lint/suspicious/noTemplateCurlyInString: parts of sources
import { ofArea } from './fault.ts'

const source = 'electron/gateway/worklist'
const tests = 'electron/gateway/worklist'

export default ofArea('WL', [
  {
    promise: 'P-WL-03',
    what: 'a name key without a wild card no longer matches a name that goes on after it',
    file: `${source}/matching.ts`,
    find: '(goesOn && held.startsWith(`${wanted}^`))',
    replace: '(goesOn && held.startsWith(`${wanted}=`))',
    tests: `${tests}/matching.test.ts`,
  },
  {
    promise: 'P-WL-03',
    what: 'the last instant of a date and time range is left out',
    file: `${source}/matching.ts`,
    find: "(to === '' || value <= to)",
    replace: "(to === '' || value < to)",
    tests: `${tests}/matching.test.ts`,
  },
  {
    promise: 'P-WL-03',
    what: 'a question mark matches no character, too',
    file: `${source}/matching.ts`,
    find: `        inPattern++
        at += widthAt(text, at)
      } else if`,
    replace: `        inPattern++
      } else if`,
    tests: `${tests}/matching.test.ts`,
  },
  {
    promise: 'P-WL-03',
    what: 'a date range that is open at its beginning is refused',
    file: `${source}/span.ts`,
    find: 'const read = { from: from && first(from),',
    replace: 'const read = { from: first(from),',
    tests: `${tests}/span.test.ts`,
  },
  {
    promise: 'P-WL-03',
    what: 'a time without seconds ends at the beginning of its minute',
    file: `${source}/span.ts`,
    find: "readTime(time, '59', '999999')",
    replace: "readTime(time, '00', '999999')",
    tests: `${tests}/span.test.ts`,
  },
  {
    promise: 'P-WL-03',
    what: 'date and time are one interval where only one of them is a range',
    file: `${source}/matching.ts`,
    find: `  date.isRange &&
  time.isRange &&`,
    replace: `  (date.isRange || time.isRange) &&`,
    tests: `${tests}/matching.test.ts`,
  },
  {
    promise: 'P-WL-07',
    what: 'a stored answer of yesterday is served in downtime mode',
    file: `${source}/snapshot.ts`,
    find: "return isToday && age <= setting('worklist.downtimeHours')",
    replace: "return age <= setting('worklist.downtimeHours')",
    tests: `${tests}/snapshot.test.ts`,
  },
  {
    promise: 'P-WL-06',
    what: 'a stored answer is served past its minutes without downtime mode',
    file: `${source}/snapshot.ts`,
    find: ' && downtime.current().isOn ? ',
    replace: ' ? ',
    tests: `${tests}/snapshot.test.ts`,
  },
  {
    promise: 'P-WL-09',
    what: 'the stored answers of a device that the partner refused are kept',
    file: `${source}/snapshot.ts`,
    find: 'await store.database.commitSoon(() => store.answers.forget(callingAe))',
    replace: 'await store.database.commitSoon(() => undefined)',
    tests: `${tests}/worklist.test.ts`,
  },
  {
    promise: 'P-WL-11',
    what: 'the partner’s answer is used before it is stored',
    file: `${source}/snapshot.ts`,
    find: 'await keep(question, reply, read)',
    replace: 'void keep(question, reply, read)',
    tests: `${tests}/snapshot.test.ts`,
  },
  {
    promise: 'P-WL-09',
    what: 'two devices share a question though their addresses differ',
    file: `${source}/snapshot.ts`,
    find: '[callingAe, sourceIp, dateStart, dateEnd, modality, device].join',
    replace: '[callingAe, dateStart, dateEnd, modality, device].join',
    tests: `${tests}/snapshot.test.ts`,
  },
  {
    promise: 'P-WL-09',
    what: 'an answer for one modality serves a question for all',
    file: 'electron/gateway/store/answers.ts',
    find: "modality === null ? [''] : ['', modality]",
    replace: "modality === null ? ['', 'CT', 'MR'] : ['', modality]",
    tests: 'electron/gateway/store/answers.test.ts',
  },
  {
    promise: 'P-WL-16',
    what: 'rows of a study that two patients share are sent',
    file: `${source}/answer.ts`,
    find: 'else if (patient !== values.PatientID) mixed.add(values.StudyInstanceUID)',
    replace: 'else if (patient === undefined) mixed.add(values.StudyInstanceUID)',
    tests: `${tests}/answer.test.ts`,
  },
  {
    promise: 'P-WL-15',
    what: 'an identifier that is too long is sent, to be cut by the console',
    file: `${source}/item.ts`,
    find: 'else if (lengthOf(clean) > most)',
    replace: 'else if (lengthOf(clean) > most * 4)',
    tests: `${tests}/item.test.ts`,
  },
  {
    promise: 'P-WL-15',
    what: 'control characters are removed from identifiers, so that two can become one',
    file: `${source}/cleaning.ts`,
    find: "return cleanText(trimmed) === trimmed.normalize('NFC') && !isDamaged(trimmed) ? trimmed.normalize('NFC') : undefined",
    replace: 'return isDamaged(trimmed) ? undefined : cleanText(trimmed)',
    tests: `${tests}/cleaning.test.ts`,
  },
  {
    promise: 'P-WL-22',
    what: 'a step sequence of two items is read by its first',
    file: `${source}/query.ts`,
    find: 'if (value.length > 1) throw',
    replace: 'if (value.length > 99) throw',
    tests: `${tests}/query.test.ts`,
  },
])
