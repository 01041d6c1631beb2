// In place of the native HTTP client of `aws-lambda-ric`, which needs a compiler: the same calls to the Runtime API over `node:http`. One
// connection keeps them in their order, as those of the native client block.
const { Agent, request } = require('node:http');

const runtime = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const call = (method, path, body, headers = {}) =>
  new Promise((resolve, reject) => {
    const sent = request(`${runtime}${path}`, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ bodyJson: text, headers: response.headers }));
    });
    sent.on('error', reject);
    sent.end(body);
  });

exports.next = () => call('GET', '/invocation/next');
exports.done = (id, body) => void call('POST', `/invocation/${id}/response`, body);
exports.error = (id, body) => void call('POST', `/invocation/${id}/error`, body);
