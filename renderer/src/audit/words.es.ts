import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Auditoría',
  about:
    'Quién cambió qué en esta pasarela, lo más reciente primero. Las entradas no se pueden cambiar ni eliminar; cada una sella la anterior.',
  label: 'Registro de auditoría, lo más reciente primero',
  columns: {
    seq: 'N.º',
    at: 'Hora',
    actor: 'Quién',
    action: 'Qué',
    target: 'Sobre',
    detail: 'Detalle',
  },
  you: (name) => `${name} (usted)`,
  gateway: 'La propia pasarela',
  commandLine: 'Línea de comandos',
  apiKey: (description) => `Clave de API ${description}`,
  newer: 'Mostrar entradas más recientes',
  none: 'Nada todavía',
  noneText:
    'Aquí aparecen los inicios de sesión y los cambios en dispositivos, socio, ajustes y modo de contingencia.',
  noneFound: 'Ninguna entrada coincide',
  noneFoundText: 'Elegir otros filtros o quitarlos.',
  clear: 'Quitar filtros',
  more: 'Cargando entradas anteriores…',
  last: 'Esta es la primera entrada del registro.',
  lastFound: 'Ninguna entrada anterior coincide.',

  who: 'Quién',
  anyone: 'Cualquiera',
  what: 'Qué se hizo',
  anything: 'Cualquier acción',
  on: 'Id. de aquello sobre lo que se hizo',
  from: 'Desde',
  to: 'Hasta',

  verify: 'Verificar',
  verifyMeaning: 'Recorre la cadena desde la primera entrada hasta la última.',
  entries: ['entrada', 'entradas'],
  intact: 'El registro está intacto',
  intactText: (entries, took) =>
    `${entries} recorridas en ${took}: cada una es la que se escribió y no falta ninguna.`,
  brokenText:
    'Algo ajeno a Isthmus cambió la base de datos, o está dañada. Exportar el registro, guardar una copia de la carpeta de datos y avisar al proveedor. Las entradas anteriores son las que se escribieron.',
  found: {
    entry: (seq) => `El registro está roto en la entrada ${seq}`,
    older: (_seq, missing) => `El registro es anterior a su ancla: le faltan ${missing}`,
    replaced: () => 'El registro no es el que su ancla conoce',
    'head-missing': () => 'Se borró el final del registro',
    'head-unreadable': () => 'Se modificó el final del registro',
    'anchor-missing': () => 'Se borró el ancla del registro',
    'anchor-changed': () => 'Se modificó el ancla del registro',
    triggers: () => 'Se quitó la protección del registro contra cambios',
    sending: () => 'Se modificó la posición hasta la que se enviaron entradas',
  },
  recorded: (seq) => `La entrada ${seq} recoge lo que se encontró.`,
  foundText:
    'Algo ajeno a Isthmus modificó la carpeta de datos. Averigüe quién tuvo acceso a este PC. Si se conoce la causa, como una copia restaurada a mano, confírmelo: la entrada se conserva.',
  acknowledge: {
    title: 'Confirmar el hallazgo',
    action: 'Confirmar',
    label: 'Causa',
    about: 'Queda en el registro de auditoría con su nombre.',
    example: 'Base de datos copiada a mano tras un fallo del disco',
  },
  dismiss: 'Cerrar',

  exportSpan: 'Exportar estos días',
  exportAll: 'Exportar',
  csv: 'CSV',
  csvAbout: 'para una hoja de cálculo',
  jsonl: 'JSON Lines',
  jsonlAbout: 'con todo lo que prueba la cadena',
  exportNoted: 'Que usted lo exportó queda como entrada del registro.',
}
