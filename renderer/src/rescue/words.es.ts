import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'La pasarela no puede abrir sus datos',
  faults: {
    damaged: 'La base de datos está dañada',
    'not-a-database': 'La base de datos no se puede leer',
    'database-missing': 'Falta la base de datos',
    'key-missing': 'Falta la clave de datos',
    'key-sealed': 'La clave de datos está en otra cuenta',
    'key-wrong': 'La clave de datos no corresponde',
    'seal-broken': 'La clave de datos no corresponde',
  },
  why: {
    damaged:
      'Una parte de su archivo en el disco no es lo que se escribió, como tras un fallo del disco o un corte de luz. Una copia de seguridad lo arregla.',
    'not-a-database':
      'Su archivo en el disco ya no es una base de datos, como tras un fallo del disco o un corte de luz. Una copia de seguridad lo arregla.',
    'database-missing':
      'Su archivo ya no está en el disco, aunque hay imágenes. Restaure una copia de seguridad, o devuelva el archivo a su lugar e inicie de nuevo la pasarela.',
    'key-missing':
      'Lo que se guarda aquí está cifrado y falta su clave. La clave de recuperación la devuelve; también una copia de seguridad que se abra con ella.',
    'key-sealed':
      'Lo que se guarda aquí está cifrado. Su clave está en el almacén de otra cuenta: inicie la aplicación allí o use la clave de recuperación.',
    'key-wrong':
      'Lo que se guarda aquí se cifró con otra clave que la que está al lado. La clave de recuperación devuelve la correcta.',
    'seal-broken':
      'Lo que se guarda aquí se cifró con otra clave que la que está al lado. La clave de recuperación devuelve la correcta.',
  },
  says: 'La pasarela dice:',
  calm: {
    unchanged: 'No se cambió nada y no se borrará nada. Lo que se reemplace se guarda aparte.',
    devices:
      'Hasta que se arregle, los dispositivos y los socios no reciben respuesta. Los dispositivos conservan sus imágenes.',
    here: 'Esta página se abre solo en este PC.',
  },
  version: (version) => `Versión ${version}`,
  unreachable: 'La pasarela no responde. Esta página sigue preguntando.',
  linkNeeded:
    'Esta página se abre solo con su enlace. La aplicación la abre por sí misma: iníciela de nuevo. Donde la pasarela funciona sin ventana, esto imprime el enlace:',
  command: 'isthmus sign-in-link --data DIR',
  starting: 'La pasarela se inicia',
  startingText: 'La ventana se abre por sí misma en un momento.',
  puttingBack: 'Se está restaurando la copia de seguridad',
  decrypting: (share) => `Abriendo la copia de seguridad, ${share}`,
  checking: 'Comprobando que está completa',
  failed: 'La copia de seguridad no se restauró',
  failedText: 'Todo sigue como estaba: pruebe con otra.',
  recoveryKey: [
    'Clave de recuperación',
    'Ocho grupos de cuatro, como en la hoja. Las mayúsculas y los guiones no importan.',
  ],
  key: {
    title: 'Recuperar la clave de datos',
    text: 'Con la clave de recuperación, la base de datos que está aquí se abre de nuevo y no se pierde nada.',
    put: 'Recuperar la clave e iniciar',
  },
  backups: {
    title: 'Restaurar una copia de seguridad',
    list: 'Copias de seguridad, la más reciente primero',
    kinds: {
      'by-hand': 'a mano',
      scheduled: 'según el plan',
      'before-update': 'antes de actualizar',
    },
    withKey: 'con el archivo de recuperación',
    withoutKey: 'se abre solo en este PC',
    folderUnknown:
      'Ya no se puede leer en qué carpeta están las copias de seguridad. Indíquela abajo.',
    emptyFolder: (folder) =>
      `No hay ninguna copia de seguridad en ${folder}. ¿Está conectado su disco? Si están en otro lugar, indique la carpeta abajo.`,
    folder: [
      'Otra carpeta',
      'En este PC, en un disco que conecte o en la red. Una copia de otro PC se abre con su clave de recuperación.',
    ],
    example: 'p. ej. D:\\Copias de Isthmus o /mnt/backup/isthmus',
    look: 'Buscar ahí',
  },
  chosen: {
    title: (when) => `La copia de seguridad de ${when}`,
    tables: {
      studies: 'Estudios',
      reports: 'Informes',
      imageStudies: 'Estudios con imágenes',
      users: 'Personas',
      devices: 'Dispositivos',
      expressCustomers: 'Clientes',
      auditEntries: 'Entradas de auditoría',
    },
    cannot: 'Esta no se puede restaurar',
    needsKey:
      'Ninguna clave de datos que esté aquí la abre. La abre la clave de recuperación que estaba en vigor cuando se hizo.',
    tryKey: 'Probar esta clave',
    keyFits: 'La clave de recuperación la abre.',
    put: 'Restaurar esta copia',
    ask: (when) => `¿Restaurar la copia de seguridad de ${when}?`,
    lost: 'La pasarela continúa entonces desde ese momento. Lo que se escribió después no está en la copia.',
    kept: 'La base de datos de ahora se guarda aparte en la carpeta de datos. Las imágenes se quedan donde están.',
    notYet: 'Todavía no',
  },
}
