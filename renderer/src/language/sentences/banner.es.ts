import type { Sentence } from '../catalogue.ts'

export const BANNER: readonly Sentence[] = [
  [
    'The gateway is in safe mode: devices are not served and nothing is sent. Start it again when the cause is found.',
    'La pasarela está en modo seguro: no atiende a los dispositivos ni envía nada. Iníciela de nuevo cuando se conozca la causa.',
  ],
  [
    'These settings could not be read and have their first value; set them again: {}.',
    'Estos ajustes no se pudieron leer y tienen su valor inicial; vuelva a definirlos: {0}.',
  ],
  [
    'No partner is set, so every worklist is refused. Enter its address under Partner.',
    'No hay ningún socio configurado, así que se rechaza toda lista de trabajo. Indique su dirección en Socio.',
  ],
  [
    'No device is known. Add one under Devices, or let it call once and approve it there.',
    'No se conoce ningún dispositivo. Añada uno en Dispositivos, o deje que llame una vez y apruébelo allí.',
  ],
  [
    'Every device is switched off, so every device is rejected. Switch one on under Devices.',
    'Todos los dispositivos están desactivados, así que se rechaza a todos. Active uno en Dispositivos.',
  ],
  [
    'The images of a study name another patient or order than its worklist row or the study. Compare them under Images.',
    'Las imágenes de un estudio indican otro paciente u otra petición que su fila de la lista de trabajo. Compárelas en Imágenes.',
  ],
  [
    'The images of {} studies name another patient or order than their worklist rows or the studies. Compare them under Images.',
    'Las imágenes de {0} estudios indican otro paciente u otra petición que sus filas de la lista de trabajo. Compárelas en Imágenes.',
  ],
  [
    'An image was set aside and waits for a decision. Release or discard it under Images.',
    'Una imagen se apartó y espera una decisión. Libérela o descártela en Imágenes.',
  ],
  [
    '{} images were set aside and wait for a decision. Release or discard them under Images.',
    '{0} imágenes se apartaron y esperan una decisión. Libérelas o descártelas en Imágenes.',
  ],
  [
    'An image could not be sent to its destination and was given up. Send it again or drop it under Destinations.',
    'Una imagen no se pudo enviar a su destino y se abandonó. Envíela de nuevo o descártela en Destinos.',
  ],
  [
    '{} images could not be sent to their destinations and were given up. Send them again or drop them under Destinations.',
    '{0} imágenes no se pudieron enviar a sus destinos y se abandonaron. Envíelas de nuevo o descártelas en Destinos.',
  ],
  [
    'Storage commitment is on, but no device has a port to send its results to. Enter the port each device listens at under Devices.',
    'La confirmación de almacenamiento está activada, pero ningún dispositivo tiene un puerto al que enviar los resultados. Indique en Dispositivos el puerto en el que escucha cada uno.',
  ],
  [
    'An unknown device has called. Approve or dismiss it under Devices.',
    'Ha llamado un dispositivo desconocido. Apruébelo o descártelo en Dispositivos.',
  ],
  [
    '{} unknown devices have called. Approve or dismiss them under Devices.',
    'Han llamado {0} dispositivos desconocidos. Apruébelos o descártelos en Dispositivos.',
  ],
  [
    'A workstation asks to open the window. Approve or refuse it under Settings, Access from other PCs.',
    'Un puesto pide abrir la ventana. Apruébelo o rechácelo en Ajustes, Acceso desde otros PC.',
  ],
  [
    '{} workstations ask to open the window. Approve or refuse them under Settings, Access from other PCs.',
    '{0} puestos piden abrir la ventana. Apruébelos o rechácelos en Ajustes, Acceso desde otros PC.',
  ],
  [
    'Any device on the network may read the worklist. Switch off “Serve callers that are not in the device list” once yours are known.',
    'Cualquier dispositivo de la red puede leer la lista de trabajo. Desactive «Atender a quienes no están en la lista de dispositivos» cuando los suyos ya se conozcan.',
  ],
  [
    'The window is open to the network without encryption: passwords and patient data can be read on the way. Put a TLS proxy before it.',
    'La ventana está abierta a la red sin cifrado: las contraseñas y los datos de pacientes se pueden leer por el camino. Ponga delante un proxy TLS.',
  ],
  [
    'Links given to the partner point to this PC only. Set the public URL under Settings if the partner is to open them.',
    'Los enlaces que se dan al socio solo apuntan a este PC. Defina la URL pública en Ajustes si el socio debe abrirlos.',
  ],
  [
    '{} Devices keep theirs until this is mended.',
    '{0} Los dispositivos conservan las suyas hasta que se solucione.',
  ],
  [
    '{} Keep a copy of the data folder and tell the vendor.',
    '{0} Guarde una copia de la carpeta de datos y avise al proveedor.',
  ],
  [
    'Reports for {} wait. {} Switch it on again, or enter its new address, under Partner.',
    'Los informes para {0} esperan. {1} Actívelo de nuevo o indique su nueva dirección en Socio.',
  ],
  ['{} It ends with the next live answer.', '{0} Termina con la próxima respuesta en directo.'],
  ['has ended', 'ha caducado'],
  ['No partner is set', 'No hay ningún socio configurado'],
  ['Partner unreachable', 'No se puede contactar con el socio'],
  ['Partner does not answer in time', 'El socio no responde a tiempo'],
  ['Partner answers with an error', 'El socio responde con un error'],
  ['Partner sends answers that are too large', 'El socio envía respuestas demasiado grandes'],
  ['Partner sends answers that cannot be read', 'El socio envía respuestas que no se pueden leer'],
  ['Partner refuses worklist queries', 'El socio rechaza las consultas de lista de trabajo'],
  ['Partner has an address that is not allowed', 'El socio tiene una dirección no permitida'],
  [
    'No device can reach the gateway: its DICOM listener is down',
    'Ningún dispositivo puede llegar a la pasarela: su servicio DICOM no funciona',
  ],
  [
    'No device can reach the gateway by TLS: its DICOM TLS listener is down',
    'Ningún dispositivo puede llegar a la pasarela por TLS: su servicio DICOM TLS no funciona',
  ],
  ['The HTTP listener is down', 'El servicio HTTP no funciona'],
  [
    'Other PCs cannot open the window: its HTTPS listener is down',
    'Otros PC no pueden abrir la ventana: su servicio HTTPS no funciona',
  ],
  ['under a minute', 'menos de un minuto'],
  [
    'The certificate of DICOM TLS {}. Renew it under Settings, and give the new one to who trusts the old one.',
    'El certificado de DICOM TLS {0}. Renuévelo en Ajustes y entregue el nuevo a quien confía en el anterior.',
  ],
  [
    'The certificate of the window and the interface {}. Renew it under Settings, and give the new one to who trusts the old one.',
    'El certificado de la ventana y la interfaz {0}. Renuévelo en Ajustes y entregue el nuevo a quien confía en el anterior.',
  ],
  [
    'A device may call by TLS only, but DICOM TLS is off: set dimse.tlsPort under Settings and start again.',
    'Un dispositivo solo puede llamar por TLS, pero DICOM TLS está desactivado: defina dimse.tlsPort en Ajustes y reinicie.',
  ],
  [
    '{#} devices may call by TLS only, but DICOM TLS is off: set dimse.tlsPort under Settings and start again.',
    '{0} dispositivos solo pueden llamar por TLS, pero DICOM TLS está desactivado: defina dimse.tlsPort en Ajustes y reinicie.',
  ],
  ['ends in one day', 'caduca en un día'],
  ['ends in {#} days', 'caduca en {0} días'],
  ['{}. Devices get no worklist.', '{0}. Los dispositivos no reciben lista de trabajo.'],
  [
    '{} since {}. Devices get no worklist.',
    '{0} desde {1}. Los dispositivos no reciben lista de trabajo.',
  ],
  [
    '{}. There is no earlier answer: devices get no worklist.',
    '{0}. No hay ninguna respuesta anterior: los dispositivos no reciben lista de trabajo.',
  ],
  [
    '{} since {}. There is no earlier answer: devices get no worklist.',
    '{0} desde {1}. No hay ninguna respuesta anterior: los dispositivos no reciben lista de trabajo.',
  ],
  ['{}. Worklists come from {} ({} old).', '{0}. Las listas de trabajo son de {1} (hace {2}).'],
  [
    '{} since {}. Worklists come from {} ({} old).',
    '{0} desde {1}. Las listas de trabajo son de {2} (hace {3}).',
  ],
  [
    '{}. Worklists come from {} ({} old). {}',
    '{0}. Las listas de trabajo son de {1} (hace {2}). {3}',
  ],
  [
    '{} since {}. Worklists come from {} ({} old). {}',
    '{0} desde {1}. Las listas de trabajo son de {2} (hace {3}). {4}',
  ],
  [
    '{}. The last answer is from {} ({} old), too old to serve: devices get no worklist.',
    '{0}. La última respuesta es de {1} (hace {2}), demasiado antigua para servirla: los dispositivos no reciben lista de trabajo.',
  ],
  [
    '{} since {}. The last answer is from {} ({} old), too old to serve: devices get no worklist.',
    '{0} desde {1}. La última respuesta es de {2} (hace {3}), demasiado antigua para servirla: los dispositivos no reciben lista de trabajo.',
  ],
  [
    '{}. The last answer is from {} ({} old), too old to serve: devices get no worklist. {}',
    '{0}. La última respuesta es de {1} (hace {2}), demasiado antigua para servirla: los dispositivos no reciben lista de trabajo. {3}',
  ],
  [
    '{} since {}. The last answer is from {} ({} old), too old to serve: devices get no worklist. {}',
    '{0} desde {1}. La última respuesta es de {2} (hace {3}), demasiado antigua para servirla: los dispositivos no reciben lista de trabajo. {4}',
  ],
  ['Downtime mode serves it for longer.', 'El modo de contingencia la sirve durante más tiempo.'],
  [
    'A signed report has not reached the partner since {}. It is tried again by itself; tell the partner by phone what cannot wait.',
    'Un informe firmado no ha llegado al socio desde {0}. Se intenta de nuevo automáticamente; comunique al socio por teléfono lo que no puede esperar.',
  ],
  [
    'A signed report has not reached the partner since {} ({}). It is tried again by itself; tell the partner by phone what cannot wait.',
    'Un informe firmado no ha llegado al socio desde {0} ({1}). Se intenta de nuevo automáticamente; comunique al socio por teléfono lo que no puede esperar.',
  ],
  [
    '{#} signed reports have not reached the partner since {}. They are tried again by themselves; tell the partner by phone what cannot wait.',
    '{0} informes firmados no han llegado al socio desde {1}. Se intentan de nuevo automáticamente; comunique al socio por teléfono lo que no puede esperar.',
  ],
  [
    '{#} signed reports have not reached the partner since {} ({}). They are tried again by themselves; tell the partner by phone what cannot wait.',
    '{0} informes firmados no han llegado al socio desde {1} ({2}). Se intentan de nuevo automáticamente; comunique al socio por teléfono lo que no puede esperar.',
  ],
  ['Downtime mode is on.', 'El modo de contingencia está activado.'],
  ['Downtime mode is on since {}.', 'El modo de contingencia está activado desde {0}.'],
  ['Downtime mode is on since {} ({}).', 'El modo de contingencia está activado desde {0} ({1}).'],
  [
    'Downtime mode is on since {}, until {} at the latest.',
    'El modo de contingencia está activado desde {0}, hasta {1} como máximo.',
  ],
  [
    'Downtime mode is on since {} ({}), until {} at the latest.',
    'El modo de contingencia está activado desde {0} ({1}), hasta {2} como máximo.',
  ],
  [
    'This account has no key ring that protects anything: the data key stays in a plain file. Settings, Readiness says what to do.',
    'Esta cuenta no tiene un llavero que proteja nada: la clave de datos queda en un archivo sin cifrar. Ajustes, Preparación dice qué hacer.',
  ],
  [
    'This account has no key store: the data key stays in a plain file. Settings, Readiness says what to do.',
    'Esta cuenta no tiene almacén de claves: la clave de datos queda en un archivo sin cifrar. Ajustes, Preparación dice qué hacer.',
  ],
  ['{#} min', '{0} min'],
  ['{#} h', '{0} h'],
]
