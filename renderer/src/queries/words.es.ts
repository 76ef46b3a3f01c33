import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Consultas',
  about:
    'Cada consulta de lista de trabajo de un dispositivo y qué fue de ella. Abra una para ver por qué su lista era como era.',
  outcomeLabel: 'Resultado',
  outcomes: {
    all: 'Todas',
    rows: 'Con exploraciones',
    empty: 'Vacías',
    failed: 'Fallidas',
    withheld: 'Con exploraciones retenidas',
  },
  columns: {
    at: 'Hora',
    device: 'Dispositivo',
    sentence: 'Qué ocurrió',
    source: 'Respuesta, terminó con',
    sent: 'Enviadas',
    filtered: 'Filtradas',
    withheld: 'Retenidas',
    took: 'Duración',
  },
  fromWindow: 'preguntado desde esta ventana',
  again: (times) =>
    times === 1
      ? 'preguntado una vez más, lo mismo dado, a las '
      : `preguntado ${times} veces más, lo mismo dado, la última a las `,
  label: 'Consultas de lista de trabajo, las más recientes primero',
  newer: (count) =>
    count === 1 ? 'Mostrar 1 consulta más reciente' : `Mostrar ${count} consultas más recientes`,
  noneTitle: 'Ninguna consulta todavía',
  noneText:
    'Cuando un dispositivo pide su lista de trabajo, la consulta aparece aquí. También se puede preguntar como un dispositivo en Lista de trabajo, Preguntar como un dispositivo.',
  noneFilteredTitle: 'Ninguna consulta coincide con los filtros',
  noneFilteredText:
    'Las consultas se guardan por un tiempo limitado; las más antiguas ya no están.',
  clear: 'Quitar los filtros',
  more: 'Cargando consultas anteriores…',
  last: 'No se guardan consultas anteriores.',
  back: 'Todas las consultas',
  one: (id) => `Consulta ${id}`,
  askAgain: 'Preguntar como este dispositivo',
  goneTitle: 'Esta consulta ya no se guarda',
  gone: 'Las consultas se guardan por un tiempo limitado (ajuste inspector.retentionHours).',
}
