package ydl.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.client.ClientRMProxy;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.util.ConverterUtils;

/** What tests ask of HDFS that ordinary users do not: where blocks are, safe mode, quotas, owners, tokens. */
final class Admin {
    private final FileSystem fs;
    private final ObjectMapper json;

    Admin(FileSystem fs, ObjectMapper json) {
        this.fs = fs;
        this.json = json;
    }

    void addTo(Map<String, Client.Operation> operations) {
        operations.put("blocks", this::blocks);
        operations.put("safe-mode", this::safeMode);
        operations.put("quota", this::quota);
        operations.put("chown", this::chown);
        operations.put("corrupt-files", this::corruptFiles);
        operations.put("fetch-tokens", this::fetchTokens);
        operations.put("cancel-tokens", this::cancelTokens);
        operations.put("erasure-code", this::erasureCode);
        operations.put("encrypt", this::encrypt);
    }

    /** The blocks of a file, a file that is being written too, each with its id and the addresses of its DataNodes. */
    private JsonNode blocks(JsonNode request) throws IOException {
        ArrayNode blocks = json.createArrayNode();
        for (LocatedBlock block : hdfs().getClient().getLocatedBlocks(remote(request).toUri().getPath(), 0).getLocatedBlocks()) {
            ArrayNode hosts = blocks.addObject().put("id", block.getBlock().getBlockId()).putArray("hosts");
            for (DatanodeInfo node : block.getLocations()) {
                hosts.add(node.getIpAddr());
            }
        }
        return blocks;
    }

    private JsonNode safeMode(JsonNode request) throws IOException {
        boolean enter = request.get("enter").asBoolean();
        return json.valueToTree(hdfs().setSafeMode(enter ? HdfsConstants.SafeModeAction.SAFEMODE_ENTER : HdfsConstants.SafeModeAction.SAFEMODE_LEAVE));
    }

    /** "names" and "space" limit what may lie below a directory. */
    private JsonNode quota(JsonNode request) throws IOException {
        hdfs().setQuota(remote(request), request.path("names").asLong(HdfsConstants.QUOTA_DONT_SET),
                request.path("space").asLong(HdfsConstants.QUOTA_DONT_SET));
        return null;
    }

    private JsonNode chown(JsonNode request) throws IOException {
        fs.setOwner(remote(request), request.get("owner").asText(), null);
        return null;
    }

    /** The files of which every replica of a block is known to be damaged. */
    private JsonNode corruptFiles(JsonNode request) throws IOException {
        ArrayNode files = json.createArrayNode();
        for (RemoteIterator<Path> each = fs.listCorruptFileBlocks(remote(request)); each.hasNext();) {
            files.add(each.next().toUri().getPath());
        }
        return files;
    }

    /** Delegation tokens of this file system, and with "yarn" of the ResourceManager, into a file such as HADOOP_TOKEN_FILE_LOCATION names. */
    private JsonNode fetchTokens(JsonNode request) throws Exception {
        Credentials credentials = new Credentials();
        String renewer = request.get("renewer").asText();
        fs.addDelegationTokens(renewer, credentials);
        if (request.path("yarn").asBoolean()) {
            addYarnToken(renewer, credentials);
        }
        try (DataOutputStream out = new DataOutputStream(new FileOutputStream(request.get("local").asText()))) {
            credentials.writeTokenStorageToStream(out, Credentials.SerializedFormat.valueOf(request.get("format").asText()));
        }
        return null;
    }

    private void addYarnToken(String renewer, Credentials credentials) throws Exception {
        YarnConfiguration conf = new YarnConfiguration(fs.getConf());
        try (YarnClient yarn = YarnClient.createYarnClient()) {
            yarn.init(conf);
            yarn.start();
            Token<?> token = ConverterUtils.convertFromYarn(yarn.getRMDelegationToken(new Text(renewer)), ClientRMProxy.getRMDelegationTokenService(conf));
            credentials.addToken(token.getService(), token);
        }
    }

    private JsonNode cancelTokens(JsonNode request) throws Exception {
        Credentials credentials = Credentials.readTokenStorageFile(new File(request.get("local").asText()), fs.getConf());
        for (Token<?> token : credentials.getAllTokens()) {
            token.cancel(fs.getConf());
        }
        return null;
    }

    /** Files that are made in the directory from now on are erasure-coded. */
    private JsonNode erasureCode(JsonNode request) throws IOException {
        hdfs().enableErasureCodingPolicy("XOR-2-1-1024k");
        hdfs().setErasureCodingPolicy(remote(request), "XOR-2-1-1024k");
        return null;
    }

    /** Makes an encryption zone of an empty directory, with a "key" of the cluster's hadoop.security.key.provider.path. */
    private JsonNode encrypt(JsonNode request) throws IOException {
        hdfs().createEncryptionZone(remote(request), request.get("key").asText());
        return null;
    }

    private DistributedFileSystem hdfs() {
        return (DistributedFileSystem) fs;
    }

    private static Path remote(JsonNode request) {
        return new Path(request.get("remote").asText());
    }
}
