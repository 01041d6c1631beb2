import { setHostFields } from '../../../lib/base/log.ts';
import { setCarrier } from '../../../lib/notices/carrier.ts';
import { setParameterReader } from '../../../lib/settings/parameters.ts';
import { carrier } from './carrier.ts';
import { readParameter } from './parameter.ts';

/* The second module of each bundle. It sets the AWS implementations that `lib/` uses. */
setHostFields({ function: process.env.AWS_LAMBDA_FUNCTION_NAME });
setCarrier(carrier);
setParameterReader(readParameter);
