import type { Translated } from '../i18n/words.ts'
import { countText } from './amounts.ts'
import type { English } from './explanation-words.en.ts'

const exams = (count: number) => countText(count, 'examen', 'exámenes')

export const es: Translated<English> = {
  titles: {
    asked: 'La pregunta',
    window: 'Los días pedidos',
    partner: 'La respuesta del sistema asociado',
    list: 'La lista del sistema asociado',
    keys: 'Las claves de la consulta',
    checks: 'Las comprobaciones de la pasarela',
    sent: 'Enviado al equipo',
  },
  forDays: (days) => `para ${days}`,
  forDaysOf: (days, modality) => `para ${days}, modalidad ${modality}`,
  forTheseDays: 'para estos días',
  asked: {
    fromWindow: (device) => `Pregunta desde esta ventana como ${device}`,
    byDevice: (device) => `Consulta de ${device}`,
    device: (name, aeTitle) => `${name} (${aeTitle})`,
    deviceAt: (name, aeTitle, address) => `${name} (${aeTitle} en ${address})`,
    wide: (query) => `${query}, sin ninguna clave que la limite.`,
    narrowed: (query, keys) => `${query}, limitada por ${countText(keys, 'clave', 'claves')}.`,
  },
  window: {
    none: 'No se pidió ningún día al sistema asociado.',
    asked: (window) => `La lista del sistema asociado ${window}.`,
  },
  partner: {
    notAsked: 'No se preguntó al sistema asociado.',
    took: (time) => `respuesta tras ${time}`,
    it: (facts) => `Datos: ${facts}.`,
    why: (meaning, fault) => `${meaning} Motivo: ${fault}.`,
  },
  list: {
    empty: 'No contiene ningún examen.',
    holds: (count) => `Contiene ${exams(count)}.`,
    none: 'No hubo lista.',
  },
  keys: {
    allFit: 'Todos los exámenes coincidieron con ellas.',
    lost: (count) => `${exams(count)} sin coincidencia.`,
    nothing: 'No había nada que comparar.',
  },
  checks: {
    allPassed: 'No se retuvo ningún examen.',
    lost: (count) => `${count === 1 ? 'Se retuvo' : 'Se retuvieron'} ${exams(count)}.`,
    nothing: 'No había nada que comprobar.',
  },
  sent: {
    text: (count, code, status, time) =>
      `${exams(count)}. La consulta terminó con ${code}, ${status.toLowerCase()}, tras ${time}.`,
    comment: (comment) => `Comentario al equipo: «${comment}»`,
  },
  reason: (count, reason) => `${exams(count)}: ${reason}`,
  moreReasons: (count) => `y ${countText(count, 'motivo más', 'motivos más')}`,
  from: (start) => `desde ${start}`,
  until: (end) => `hasta ${end}`,
  range: (start, end) => `${start} a ${end}`,
  say: {
    cancelled: (count) => `El equipo canceló la consulta tras ${exams(count)}.`,
    cancelledRemedy: 'Consulte de nuevo en el equipo si no era lo que se quería.',
    misread: 'La consulta no se pudo entender, así que no se buscó nada.',
    misreadRemedy:
      'Corrija la consulta en el equipo; abajo están las claves tal como se recibieron.',
    misreadRemedyOf: (comment) =>
      `Corrija la consulta en el equipo («${comment}»); abajo están las claves tal como se recibieron.`,
    fault: (fault) => `Vacía, porque ${fault}.`,
    noList: (meaning) => `No se dio ninguna lista: ${meaning}`,
    noExam: (window) => `Vacía, porque el sistema asociado no tiene ningún examen ${window}.`,
    noExamRemedy:
      'Si falta un examen, compruebe en el sistema asociado que está programado para ese día.',
    noneFits: (count) =>
      `Vacía, porque de los ${exams(count)} del sistema asociado ninguno coincide con lo que pidió el equipo.`,
    filterRemedy: (keys) => `Borre o corrija estas claves en el equipo: ${keys}.`,
    reasonsBelow: 'Los motivos están abajo.',
    unsafe: (count) =>
      `Vacía, porque no se ${count === 1 ? 'puede' : 'pueden'} enviar con seguridad ${exams(count)}.`,
    unsafeAndFiltered: (count, filtered) =>
      `Vacía, porque no se ${count === 1 ? 'puede' : 'pueden'} enviar con seguridad ${exams(count)} y no ${
        filtered === 1 ? 'coincide' : 'coinciden'
      } con la consulta ${exams(filtered)}.`,
    mendAtPartner: 'Los motivos están abajo; la mayoría se corrigen en el sistema asociado.',
    incomplete: (count, why) =>
      `${exams(count)} ${count === 1 ? 'enviado' : 'enviados'}, pero la lista no está completa: ${why}.`,
    narrow: 'Limite la consulta en el equipo.',
    withheld: (sent, withheld) =>
      `${exams(sent)} ${sent === 1 ? 'enviado' : 'enviados'}; ${exams(withheld)} ${
        withheld === 1 ? 'retenido: no se puede' : 'retenidos: no se pueden'
      } enviar con seguridad.`,
    sent: (count) => `${exams(count)} ${count === 1 ? 'enviado' : 'enviados'}.`,
  },
}
