import type { Sentence } from '../catalogue.ts'

/** Of the files of a back-up: how it is written, opened and put in the place of the database. */
export const BACK_UPS: readonly Sentence[] = [
  ['the disk quota is used up', 'se agotó la cuota de disco'],
  [
    'the file is larger than the disk, or this account, may hold',
    'el archivo es mayor de lo que el disco, o esta cuenta, puede guardar',
  ],
  ['the disk can only be read', 'el disco solo se puede leer'],
  ['this account may not do that there', 'esta cuenta no puede hacer eso ahí'],
  ['it is not there', 'no está'],
  [
    '{} has a back-up of this second already: {}.',
    '{0} ya tiene una copia de seguridad de este segundo: {1}.',
  ],
  [
    'The database could not be copied to {}: {}.',
    'No se pudo copiar la base de datos en {0}: {1}.',
  ],
  [
    'What was read back from the back-up is not what was written: it was given up. Try another disk.',
    'Lo que se volvió a leer de la copia de seguridad no es lo que se escribió: se abandonó. Pruebe otro disco.',
  ],
  [
    'The back-up {} could not be removed: {}.',
    'No se pudo eliminar la copia de seguridad {0}: {1}.',
  ],
  [
    '{} is not empty: a back-up is opened in a folder of its own.',
    '{0} no está vacía: una copia de seguridad se abre en una carpeta propia.',
  ],
  ['{} cannot be used: {}.', 'No se puede usar {0}: {1}.'],
  [
    'The back-up {} could not be opened in {}: {}.',
    'No se pudo abrir la copia de seguridad {0} en {1}: {2}.',
  ],
  [
    'The back-up {} has no database: it was not copied whole.',
    'La copia de seguridad {0} no tiene base de datos: no se copió entera.',
  ],
  [
    '{} is not a back-up of Isthmus, or its {} is missing or damaged.',
    '{0} no es una copia de seguridad de Isthmus, o su {1} falta o está dañado.',
  ],
  [
    'The back-up {} was made by a newer version of Isthmus (schema {}, this one knows {}): put it back with that version.',
    'La copia de seguridad {0} se hizo con una versión más nueva de Isthmus (esquema {1}; esta conoce {2}): restáurela con esa versión.',
  ],
  [
    'The back-up {} was made before there was a recovery key: it opens with the data key of the PC that made it alone.',
    'La copia de seguridad {0} se hizo antes de que hubiera una clave de recuperación: se abre solo con la clave de datos del PC que la hizo.',
  ],
  [
    '{} was changed after the back-up was made: use another back-up.',
    '{0} se cambió después de hacer la copia de seguridad: use otra copia.',
  ],
  [
    'The back-up {} was made under another data key than this one: {}.',
    'La copia de seguridad {0} se hizo con otra clave de datos que esta: {1}.',
  ],
  [
    'give the recovery key that was made for it',
    'dé la clave de recuperación que se hizo para ella',
  ],
  [
    'there was no recovery key then, so that only the data.key of that PC opens it',
    'entonces no había clave de recuperación, así que solo la abre el data.key de aquel PC',
  ],
  [
    'The database in the back-up cannot be read ({}): use another back-up.',
    'No se puede leer la base de datos de la copia de seguridad ({0}): use otra copia.',
  ],
  [
    'The database in the back-up {} is another than its {} tells of.',
    'La base de datos de la copia de seguridad {0} es otra que la que indica su {1}.',
  ],
  [
    'The database in the back-up {} belongs to another program.',
    'La base de datos de la copia de seguridad {0} es de otro programa.',
  ],
  [
    'The back-up {} has {} rows of {} and tells of {}: use another back-up.',
    'La copia de seguridad {0} tiene {1} filas de {2} e indica {3}: use otra copia.',
  ],
  [
    'The key does not open what is sealed in the database of the back-up {}.',
    'La clave no abre lo que está sellado en la base de datos de la copia de seguridad {0}.',
  ],
  ['{} could not be read: {}.', 'No se pudo leer {0}: {1}.'],
  ['{} could not be written: {}.', 'No se pudo escribir {0}: {1}.'],
  ['it became shorter while it was read', 'se acortó mientras se leía'],
  [
    '{} is damaged, was changed, or was sealed under another key.',
    '{0} está dañado, se cambió o se selló con otra clave.',
  ],
  [
    'A back-up is half put back in {}: start the gateway once, which finishes that.',
    'Hay una copia de seguridad a medio restaurar en {0}: inicie la pasarela una vez, que lo termina.',
  ],
  [
    'The back-up could not be made ready in {}: {}.',
    'No se pudo preparar la copia de seguridad en {0}: {1}.',
  ],
  [
    'A back-up could not be put in the place of the database in {}: {}.',
    'No se pudo poner una copia de seguridad en el lugar de la base de datos en {0}: {1}.',
  ],
  [
    'The damaged database in {} could not be moved aside: {}.',
    'No se pudo apartar la base de datos dañada en {0}: {1}.',
  ],
  [
    '{} is not as it was made ready: nothing was changed; make the restore again.',
    '{0} no está como se preparó: no se cambió nada; haga la restauración de nuevo.',
  ],
  ['{} cannot be read: {}.', 'No se puede leer {0}: {1}.'],
  [
    '{} is damaged: move the folder {} away, and make the restore again.',
    '{0} está dañado: aparte la carpeta {1} y haga la restauración de nuevo.',
  ],
]
