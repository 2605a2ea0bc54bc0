package ydl.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.util.StringUtils;

/** What tests of interoperation ask of Hadoop's client: files written, read, compared and held open. */
final class Files {
    private static final int BUFFER = 64 * 1024;

    private final FileSystem fs;
    private final ObjectMapper json;
    private final Map<String, FSDataOutputStream> held = new HashMap<>();

    Files(FileSystem fs, ObjectMapper json) {
        this.fs = fs;
        this.json = json;
    }

    void addTo(Map<String, Client.Operation> operations) {
        operations.put("put", this::put);
        operations.put("get", this::get);
        operations.put("append", this::append);
        operations.put("hold", this::hold);
        operations.put("release", this::release);
        operations.put("checksum", this::checksum);
        operations.put("stat", request -> describe(fs.getFileStatus(remote(request))));
        operations.put("ls", this::list);
        operations.put("mkdirs", request -> json.valueToTree(fs.mkdirs(remote(request))));
        operations.put("delete", request -> json.valueToTree(fs.delete(remote(request), true)));
        operations.put("chown", request -> {
            fs.setOwner(remote(request), request.get("owner").asText(), null);
            return json.nullNode();
        });
        operations.put("chmod", request -> {
            fs.setPermission(remote(request), new FsPermission(request.get("mode").asText()));
            return json.nullNode();
        });
        operations.put("rename", request -> json.valueToTree(fs.rename(remote(request), new Path(request.get("to").asText()))));
    }

    /** Writes a local file; "flush_at" is an offset at which everything so far is flushed to the DataNodes. */
    private JsonNode put(JsonNode request) throws IOException {
        try (FSDataOutputStream out = create(request); InputStream in = local(request)) {
            long flushAt = request.path("flush_at").asLong(-1);
            if (flushAt >= 0) {
                IOUtils.copyBytes(in, out, flushAt, false);
                out.hflush();
            }
            IOUtils.copyBytes(in, out, BUFFER, false);
        }
        return describe(fs.getFileStatus(remote(request)));
    }

    private JsonNode get(JsonNode request) throws IOException {
        try (InputStream in = fs.open(remote(request)); OutputStream out = new FileOutputStream(request.get("local").asText())) {
            IOUtils.copyBytes(in, out, BUFFER, false);
        }
        return null;
    }

    private JsonNode append(JsonNode request) throws IOException {
        try (FSDataOutputStream out = fs.append(remote(request)); InputStream in = local(request)) {
            IOUtils.copyBytes(in, out, BUFFER, false);
        }
        return describe(fs.getFileStatus(remote(request)));
    }

    /** Writes a local file, flushes it, and keeps it open until "release": a file that is being written. */
    private JsonNode hold(JsonNode request) throws IOException {
        FSDataOutputStream out = create(request);
        try (InputStream in = local(request)) {
            IOUtils.copyBytes(in, out, BUFFER, false);
        }
        out.hflush();
        held.put(remote(request).toString(), out);
        return null;
    }

    private JsonNode release(JsonNode request) throws IOException {
        held.remove(remote(request).toString()).close();
        return null;
    }

    private JsonNode checksum(JsonNode request) throws IOException {
        FileChecksum sum = fs.getFileChecksum(remote(request));
        return json.createObjectNode().put("algorithm", sum.getAlgorithmName()).put("hex", StringUtils.byteToHexString(sum.getBytes()));
    }

    private JsonNode list(JsonNode request) throws IOException {
        ArrayNode entries = json.createArrayNode();
        for (FileStatus status : fs.listStatus(remote(request))) {
            entries.add(describe(status));
        }
        return entries;
    }

    private ObjectNode describe(FileStatus status) {
        return json.createObjectNode()
                .put("name", status.getPath().getName())
                .put("directory", status.isDirectory())
                .put("length", status.getLen())
                .put("replication", status.getReplication())
                .put("block_size", status.getBlockSize())
                .put("owner", status.getOwner())
                .put("group", status.getGroup())
                .put("permission", status.getPermission().toString())
                .put("erasure_coded", status.isErasureCoded())
                .put("modified", status.getModificationTime());
    }

    private FSDataOutputStream create(JsonNode request) throws IOException {
        Path path = remote(request);
        short replication = (short) request.path("replication").asInt(fs.getDefaultReplication(path));
        long blockSize = request.path("block_size").asLong(fs.getDefaultBlockSize(path));
        return fs.create(path, true, BUFFER, replication, blockSize);
    }

    private static Path remote(JsonNode request) {
        return new Path(request.get("remote").asText());
    }

    private static InputStream local(JsonNode request) throws IOException {
        return new FileInputStream(request.get("local").asText());
    }
}
