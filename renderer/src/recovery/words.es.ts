import { countText } from '../display/amounts.ts'
import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Archivos recuperados',
  about:
    'Estos archivos de imagen están en el disco, pero la base de datos no tiene registro de ellos. Impórtelos y ocuparán su lugar como si el dispositivo los enviara ahora.',
  label: 'Archivos recuperados',
  columns: {
    patient: 'Paciente, según el archivo',
    from: 'De',
    bytes: 'Tamaño',
    at: 'Escrito',
    actions: 'Decidir',
  },
  unreadable: 'No se puede leer como imagen',
  unreadableText: 'No se puede importar. Puede estar dañado, o no es un archivo DICOM.',
  study: 'Estudio',
  none: 'No hay archivos recuperados',
  noneText:
    'Aquí solo aparecen archivos si se restauró una copia más antigua de la base de datos, o si la pasarela se detuvo durante una transferencia.',
  more: 'Cargando más…',
  last: 'Estos son todos.',
  notAllowed:
    'Para ver estos archivos necesita el derecho de gestionar los estudios de todos los clientes. Un propietario o administrador puede permitirlo en la pantalla Personas.',
  import: 'Importar',
  importAll: 'Importar todos',
  importing: (count) => `Importando… ${count} hasta ahora`,
  imported: (count) => `Importados: ${countText(count, 'archivo')}.`,
  notImported: (count) => `No se pudieron importar y siguen aquí: ${countText(count, 'archivo')}.`,
  discard: 'Descartar',
  discardAsk: {
    title: '¿Descartar este archivo definitivamente?',
    action: 'Descartar definitivamente',
    label: 'Motivo',
    about: 'Queda en el registro de auditoría.',
    example: 'p. ej. ilegible, y el dispositivo ya envió la imagen de nuevo',
  },
  discardText:
    'Se elimina de esta pasarela y no se puede recuperar. Puede ser una imagen que su dispositivo ya ha borrado.',
  discardUnsure: 'Si no está seguro, impórtelo.',
}
