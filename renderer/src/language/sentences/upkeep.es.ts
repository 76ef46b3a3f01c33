import type { Sentence } from '../catalogue.ts'

/** Of back-ups by their plan, their trial and the standby. */
export const UPKEEP: readonly Sentence[] = [
  [
    'The trial failed for a reason that the gateway did not foresee; its log has it.',
    'El ensayo falló por un motivo que la pasarela no previó; está en su registro.',
  ],
  [
    'The newest back-up is being tried: wait for it to end.',
    'Se está ensayando la copia más reciente: espere a que termine.',
  ],
  [
    'The folder {} is not there: see whether its disk is connected.',
    'La carpeta {0} no está: compruebe si su disco está conectado.',
  ],
  [
    'No back-up is in {} yet: make one first.',
    'Aún no hay ninguna copia de seguridad en {0}: haga una primero.',
  ],
  ['There is no back-up {} in {}.', 'No hay ninguna copia de seguridad {0} en {1}.'],
  [
    'This is the only back-up: make another one before you remove it.',
    'Es la única copia de seguridad: haga otra antes de eliminarla.',
  ],
  ['No standby was noted.', 'No se anotó ninguna réplica.'],
  [
    'The newest back-up is of {}: by the plan there should be a younger one.',
    'La copia de seguridad más reciente es del {0}: según el plan debería haber una posterior.',
  ],
  [
    'The last trial of a back-up was on {}: nobody knows whether today’s can be put back.',
    'El último ensayo de una copia fue el {0}: nadie sabe si la de hoy se puede restaurar.',
  ],
  [
    'No back-up was ever tried: nobody knows whether one can be put back.',
    'Nunca se ensayó una copia de seguridad: nadie sabe si se puede restaurar alguna.',
  ],
  [
    'The standby at {} has what was written until {} {}, and is behind the plan.',
    'La réplica en {0} tiene lo escrito hasta el {1} a las {2}, y va por detrás del plan.',
  ],
  [
    'In the back-up {} the audit trail is broken at entry {}.',
    'En la copia de seguridad {0} el registro de auditoría está roto en la entrada {1}.',
  ],
  [
    'In the back-up {} the report {} is not as it was signed.',
    'En la copia de seguridad {0} el informe {1} no está como se firmó.',
  ],
  [
    'The back-up {} was opened: it is whole, with {} rows, an unbroken audit trail of {} entries, and {} reports that were read.',
    'La copia de seguridad {0} se abrió: está íntegra, con {1} filas, un registro de auditoría sin roturas de {2} entradas, y {3} informes que se leyeron.',
  ],
  [
    'See Back-ups under Settings: it is tried again by itself, and can be made now.',
    'Consulte Copias de seguridad en Ajustes: se vuelve a intentar por sí sola, y se puede hacer ahora.',
  ],
  [
    'Make another back-up and try it. If it fails too, choose another disk, and tell the vendor.',
    'Haga otra copia de seguridad y ensáyela. Si también falla, elija otro disco y avise al proveedor.',
  ],
  [
    'Try the newest one under Settings, Back-ups.',
    'Ensaye la más reciente en Ajustes, Copias de seguridad.',
  ],
  [
    'A back-up was tried on {}, and would do.',
    'Se ensayó una copia de seguridad el {0}, y serviría.',
  ],
  [
    'No back-up was tried yet: that one can be put back is known only then.',
    'Aún no se ensayó ninguna copia de seguridad: solo entonces se sabe que se puede restaurar.',
  ],
  [
    'See whether its script runs: systemctl status isthmus-standby.timer, or the task planner.',
    'Compruebe si su programa se ejecuta: systemctl status isthmus-standby.timer, o el programador de tareas.',
  ],
  ['The standby at {} has everything up to {} UTC.', 'La réplica en {0} tiene todo hasta {1} UTC.'],
  [
    'No standby is kept: back-ups are put back on another PC by hand.',
    'No se mantiene ninguna réplica: las copias de seguridad se restauran a mano en otro PC.',
  ],
  [
    'Back-ups are made for a standby, but none has told what it has.',
    'Se hacen copias de seguridad para una réplica, pero ninguna ha dicho lo que tiene.',
  ],
  [
    'Set the script for it up as docs/STANDBY.md says.',
    'Configure su programa como dice docs/STANDBY.md.',
  ],
]
