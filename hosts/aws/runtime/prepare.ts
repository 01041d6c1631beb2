import type { CloudFormationCustomResourceEvent, Context } from 'aws-lambda';
import { explainFailure } from '../../../lib/base/errors.ts';
import { describeError, log, setHostFields } from '../../../lib/base/log.ts';
import { refuseForeignEvent } from '../../../lib/http/foreign-events.ts';
import { readSecrets } from './parameter.ts';

/** An event from CloudFormation, or from an operator, who receives the result directly. */
type PreparationEvent = Pick<CloudFormationCustomResourceEvent, 'RequestType'> & Partial<CloudFormationCustomResourceEvent>;

/** CloudFormation shows this many characters of a reason. */
const longestReason = 1_000;

setHostFields({ function: process.env.AWS_LAMBDA_FUNCTION_NAME });

/**
 * Creates the indexes of the database. It is a resource of the deployment that all other functions
 * depend on, so a version serves only once its indexes exist. Removing the deployment does not
 * change the database.
 */
export async function handler(event: unknown, context: Context): Promise<object> {
  if (!isOwn(event)) return { ignored: refuseForeignEvent('events of a custom resource of CloudFormation', event, context) };
  const failure = event.RequestType === 'Delete' ? undefined : await prepare(context);
  const outcome = failure === undefined ? { Status: 'SUCCESS' } : { Status: 'FAILED', Reason: failure.slice(0, longestReason) };
  if (event.ResponseURL) await answer(event as CloudFormationCustomResourceEvent, outcome);
  return outcome;
}

const isOwn = (event: unknown): event is PreparationEvent =>
  typeof (event as Partial<PreparationEvent> | null)?.RequestType === 'string';

/**
 * Creates the indexes. Returns the reason if that fails. It imports the database code dynamically,
 * so that a failed import is reported as well.
 */
async function prepare({ awsRequestId: request_id }: Context): Promise<string | undefined> {
  try {
    await readSecrets(process.env);
    const { prepareDatabase } = await import('../../../lib/operating/prepare.ts');
    await prepareDatabase();
    log('info', 'database prepared', { request_id });
    return undefined;
  } catch (error) {
    log('error', 'the database was not prepared', { request_id, error: describeError(error) });
    return explainFailure(error);
  }
}

async function answer(
  { ResponseURL, StackId, RequestId, LogicalResourceId }: CloudFormationCustomResourceEvent,
  outcome: { Status: string; Reason?: string },
): Promise<void> {
  const body = JSON.stringify({ ...outcome, StackId, RequestId, LogicalResourceId, PhysicalResourceId: 'indexes' });
  // The address is signed for an empty content type.
  const response = await fetch(ResponseURL, { method: 'PUT', headers: { 'Content-Type': '' }, body });
  if (!response.ok) throw new Error(`CloudFormation did not take the answer: ${response.status}`);
}
