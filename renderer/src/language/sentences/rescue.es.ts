import type { Sentence } from '../catalogue.ts'

/** Of a gateway that cannot open its data, and of a back-up that is put back. */
export const RESCUE: readonly Sentence[] = [
  [
    'The back-up is being opened. The database is still as it was.',
    'Se está abriendo la copia de seguridad. La base de datos sigue como estaba.',
  ],
  [
    'The opened back-up is being checked. The database is still as it was.',
    'Se está comprobando la copia de seguridad abierta. La base de datos sigue como estaba.',
  ],
  [
    'The back-up is ready: the gateway starts again with it.',
    'La copia de seguridad está lista: la pasarela se inicia de nuevo con ella.',
  ],
  [
    'There is no folder for back-ups: name the one that the back-up is in.',
    'No hay carpeta para las copias de seguridad: indique aquella en la que está la copia.',
  ],
  [
    'must be a whole path, from the drive or the root on',
    'debe ser una ruta completa, desde la unidad o la raíz',
  ],
  [
    'There is no back-up {} in {}: look at the list again.',
    'No hay ninguna copia de seguridad {0} en {1}: mire la lista de nuevo.',
  ],
  [
    'The back-up could not be put back for a reason that the gateway did not foresee; its log has it.',
    'La copia de seguridad no se pudo restaurar por un motivo que la pasarela no previó; está en su registro.',
  ],
  [
    'A back-up is being made ready already: wait for it to end.',
    'Ya se está preparando una copia de seguridad para restaurarla: espere a que termine.',
  ],
  [
    'A back-up is ready already: the gateway starts again with it.',
    'Ya hay una copia de seguridad lista: la pasarela se inicia de nuevo con ella.',
  ],
  [
    'This back-up opens with no key that is here.',
    'Esta copia de seguridad no se abre con ninguna clave que esté aquí.',
  ],
  [
    'This back-up is of another data key: type the recovery key that was made for it.',
    'Esta copia de seguridad es de otra clave de datos: escriba la clave de recuperación que se hizo para ella.',
  ],
  [
    'Only an owner may put a back-up back: ask one of them.',
    'Solo un propietario puede restaurar una copia de seguridad: pídaselo a uno de ellos.',
  ],
  [
    'The back-up {} was put back: what was written after it is not in the database any more, and is kept aside in the data folder.',
    'Se restauró la copia de seguridad {0}: lo que se escribió después ya no está en la base de datos y se guarda aparte en la carpeta de datos.',
  ],
  ['The gateway cannot open its data. {}', 'La pasarela no puede abrir sus datos. {0}'],
  [
    'This page opens by its link alone, which the app opens by itself and “sign-in-link” prints.',
    'Esta página se abre solo con su enlace, que la aplicación abre por sí misma y «sign-in-link» imprime.',
  ],
  [
    'Compare the path, and see whether the disk is plugged in.',
    'Compare la ruta y compruebe si el disco está conectado.',
  ],
  [
    'There is no back-up of Isthmus in this folder.',
    'No hay ninguna copia de seguridad de Isthmus en esta carpeta.',
  ],
  [
    'Name the folder that holds folders called isthmus-….',
    'Indique la carpeta que contiene carpetas llamadas isthmus-….',
  ],
  [
    '{} is damaged ({}); nothing was changed. Keep the file, and put a back-up in its place: on the page that the app shows then, or by isthmus restore --data {} --from BACKUP.',
    '{0} está dañada ({1}); no se cambió nada. Conserve el archivo y ponga una copia de seguridad en su lugar: en la página que la aplicación muestra entonces, o con isthmus restore --data {2} --from BACKUP.',
  ],
  [
    '{} is not a database; it was left as it is.',
    '{0} no es una base de datos; se dejó como está.',
  ],
  [
    '{} is missing. The database beside it cannot be read without that key and a new one would not open it: put the file back, or let the recovery key make it again (isthmus recover --data DIR --recovery-key-stdin).',
    'Falta {0}. La base de datos que está al lado no se puede leer sin esa clave, y una nueva no la abriría: devuelva el archivo o deje que la clave de recuperación lo haga de nuevo (isthmus recover --data DIR --recovery-key-stdin).',
  ],
  [
    '{} has {#} bytes instead of {#}: put the file back that was there before.',
    '{0} tiene {1} bytes en lugar de {2}: devuelva el archivo que estaba antes.',
  ],
  [
    '{} is missing, though this data folder was in use: put the file back, or restore a backup. To begin anew without the former data, choose another folder.',
    'Falta {0}, aunque esta carpeta de datos estaba en uso: devuelva el archivo a su lugar o restaure una copia de seguridad. Para empezar de nuevo sin los datos anteriores, elija otra carpeta.',
  ],
  [
    'The data key is not the one that {} was sealed under. Put back the data.key that belongs to it, or let the recovery key make it again (isthmus recover --data DIR --recovery-key-stdin).',
    'La clave de datos no es aquella con la que se selló {0}. Devuelva el data.key que le corresponde o deje que la clave de recuperación lo haga de nuevo (isthmus recover --data DIR --recovery-key-stdin).',
  ],
  [
    'This is not the recovery key of {} that {} is locked with: compare it with the sheet, group by group.',
    'Esta no es la clave de recuperación del {0} con la que está cerrado {1}: compárela con la hoja, grupo por grupo.',
  ],
  [
    'There is no {}: copy it there from a back-up, with the database of the same back-up.',
    'No hay {0}: cópielo ahí desde una copia de seguridad, con la base de datos de la misma copia.',
  ],
  [
    'The key in {} does not open the database beside it: take both files from the same back-up.',
    'La clave de {0} no abre la base de datos que está al lado: tome ambos archivos de la misma copia de seguridad.',
  ],
  [
    '{} is not a recovery file of Isthmus, or is damaged: take it from a back-up.',
    '{0} no es un archivo de recuperación de Isthmus o está dañado: tómelo de una copia de seguridad.',
  ],
]
